import { Aws, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { basename } from 'node:path';
import type { Route } from './endpoint-routes';

/**
 * Name of a function that API Gateway invokes. With generated names, the API's body would refer to functions, and some of them
 * need the address of the API, which CloudFormation refuses as a circle.
 * @param entry file of the function, whose name is unique among them
 */
export const functionName = (scope: Construct, entry: string): string =>
  `${Stack.of(scope).stackName}-${basename(entry)}`;

/** URI with which API Gateway invokes a function of this account (developer guide, "x-amazon-apigateway-integration object"). */
export const invocationUri = (name: string): string =>
  `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/` +
  `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${name}/invocations`;

/**
 * The narrowest pattern that covers the methods of some routes, as in the ARN of a method after its stage:
 * `PATCH/v3/jobs/*` for `PATCH /v3/jobs/{jobId}`. `*` spans slashes.
 */
export function methodPattern(routes: readonly Pick<Route, 'method' | 'path'>[]): string {
  const methods = new Set(routes.map(({ method }) => method));
  const paths = new Set(routes.map(({ path }) => path.replaceAll(/\{[^}]+\}/g, '*')));
  return [methods.size === 1 ? [...methods][0] : '*', commonPath([...paths])].join('');
}

function commonPath([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first;
  const parts = first.split('/');
  const differing = parts.findIndex((part, index) => others.some((other) => other.split('/')[index] !== part));
  const common = parts.slice(0, differing < 0 ? parts.length : differing).join('/');
  // With the slash, unless one of them ends there.
  return [first, ...others].includes(common) ? `${common}*` : `${common}/*`;
}

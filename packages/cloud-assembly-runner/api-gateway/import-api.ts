/**
 * Imports an API from an OpenAPI document, as ImportRestApi with `failonwarnings=true` does: API Gateway developer guide,
 * "Errors and warnings from importing your API into API Gateway". AWS lists no errors; those here are in the pages of
 * each extension, or are quoted by people who met them (docs/aws.md of this project has the sources).
 */
import * as z from 'zod';
import type { AuthorizerDefinition } from './authorizer';
import type { BinaryMediaTypes } from './binary-media-types';
import { createGatewayResponses, type RenderError } from './gateway-responses';
import { functionArnOf } from './integrations/functions';
import { createMock, type Mock } from './integrations/mock-integration';
import { createRoutes, type Routes } from './routing';
import { openApiDocument, type OpenApiDocument, type Operation, type Parameter, type SecurityScheme } from './open-api';

export interface Method extends Guard {
  /** With its parameters, such as `/orders/{orderId}`. */
  readonly path: string;
  /** `GET`, … or `ANY`. */
  readonly httpMethod: string;
  readonly integration: Mock | LambdaProxy;
}

export interface LambdaProxy {
  readonly functionArn: string;
  readonly timeoutMs: number;
}

export interface ImportedApi {
  readonly routes: Routes<Method>;
  /** By name of the security scheme. */
  readonly authorizers: ReadonlyMap<string, AuthorizerDefinition>;
  readonly render: RenderError;
  readonly binaryMediaTypes: BinaryMediaTypes;
}

/** "ImportRestApi": maximum size of an API definition. */
const MAX_BYTES = 6 * 1024 * 1024;

/** Fields of a path with an operation, and their methods. */
const METHODS = {
  delete: 'DELETE',
  get: 'GET',
  head: 'HEAD',
  options: 'OPTIONS',
  patch: 'PATCH',
  post: 'POST',
  put: 'PUT',
  'x-amazon-apigateway-any-method': 'ANY',
} as const;

/**
 * @param besideDocument binary media types of the resource, with which those of its document are merged
 * @throws Error naming what API Gateway would refuse or warn of, or what is not supported on this machine
 */
export function importApi(body: unknown, besideDocument: BinaryMediaTypes = []): ImportedApi {
  if (Buffer.byteLength(JSON.stringify(body)) > MAX_BYTES) throw new Error('an API definition has at most 6 MB');
  const parsed = openApiDocument.safeParse(body);
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
  const { paths, components, 'x-amazon-apigateway-gateway-responses': gatewayResponses } = parsed.data;
  const binaryMediaTypes = [...besideDocument, ...parsed.data['x-amazon-apigateway-binary-media-types']];
  const { authorizers, guardOf } = createSecurity(components.securitySchemes);
  const routes = createRoutes<Method>();
  const operationIds = new Set<string>();

  function add(path: string, httpMethod: string, operation: Operation, shared: readonly Parameter[]): void {
    const place = `${httpMethod} ${path}`;
    checkParameters(path, [...shared, ...operation.parameters]);
    // "No responses specified for …" (a warning).
    if (Object.keys(operation.responses).length === 0) throw new Error('it declares no responses');
    const { operationId } = operation;
    if (operationId !== undefined && operationIds.has(operationId))
      throw new Error(`the operationId ${operationId} is repeated`);
    if (operationId !== undefined) operationIds.add(operationId);
    const method = { path, httpMethod, integration: integrationOf(operation, place, binaryMediaTypes) };
    routes.add(path, httpMethod, Object.assign(method, guardOf(operation)));
  }

  for (const [path, item] of Object.entries(paths)) {
    for (const [key, httpMethod] of Object.entries(METHODS)) {
      const operation = item[key as keyof typeof METHODS];
      if (operation) naming(`${httpMethod} ${path}`, () => add(path, httpMethod, operation, item.parameters));
    }
  }
  return { routes, authorizers, render: createGatewayResponses(gatewayResponses), binaryMediaTypes };
}

function integrationOf(operation: Operation, place: string, binaryTypes: BinaryMediaTypes): Method['integration'] {
  const integration = operation['x-amazon-apigateway-integration'];
  if (integration.type === 'mock') return createMock(integration, operation.responses, place, binaryTypes);
  return { functionArn: functionArnOf(integration.uri), timeoutMs: integration.timeoutInMillis };
}

/** OpenAPI 3.0, "Path Templating": each parameter of a path is declared, and no other. The `+` is not part of a name. */
function checkParameters(path: string, declared: readonly Parameter[]): void {
  const inPath = Array.from(path.matchAll(/\{([^}+]+)\+?\}/g), ([, name = '']) => name);
  const names = declared.map(({ name }) => name);
  const undeclared = inPath.find((name) => !names.includes(name));
  if (undeclared !== undefined) throw new Error(`the path parameter ${undeclared} is not declared`);
  const unknown = names.find((name) => !inPath.includes(name));
  if (unknown !== undefined) throw new Error(`the path has no parameter ${unknown}`);
}

function naming(place: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new Error(`${place}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** What a method requires of a call. */
interface Guard {
  readonly apiKeyRequired: boolean;
  /** Name of the security scheme. */
  readonly authorizer: string | undefined;
}

type Schemes = OpenApiDocument['components']['securitySchemes'];

/**
 * Security schemes and requirements: API Gateway developer guide, "x-amazon-apigateway-authorizer",
 * "x-amazon-apigateway-authtype" and "Configure a method to use API keys with an OpenAPI definition".
 * @throws Error naming a scheme that API Gateway would refuse
 */
function createSecurity(schemes: Schemes) {
  const authorizers = new Map<string, AuthorizerDefinition>();
  const apiKeys = new Set<string>();
  for (const [name, scheme] of Object.entries(schemes)) {
    const authorizer = authorizerOf(name, scheme);
    if (authorizer) authorizers.set(name, authorizer);
    else apiKeys.add(name);
  }

  /** @throws Error for a scheme that is not declared, and for two authorizers */
  function guardOf({ security }: Operation): Guard {
    const names = security.flatMap((requirement) => Object.keys(requirement));
    const unknown = names.find((name) => !authorizers.has(name) && !apiKeys.has(name));
    if (unknown !== undefined) throw new Error(`the security scheme ${unknown} is not declared`);
    const [authorizer, second] = names.filter((name) => authorizers.has(name));
    if (second !== undefined) throw new Error(`a method has one authorizer, not ${authorizer} and ${second}`);
    return { apiKeyRequired: names.some((name) => apiKeys.has(name)), authorizer };
  }

  return { authorizers, guardOf };
}

/** The authorizer that a scheme describes; undefined if it is the API key. */
function authorizerOf(name: string, scheme: SecurityScheme): AuthorizerDefinition | undefined {
  const { 'x-amazon-apigateway-authtype': type, 'x-amazon-apigateway-authorizer': authorizer } = scheme;
  if (authorizer && type === undefined)
    throw new Error(`security scheme ${name}: an authorizer needs x-amazon-apigateway-authtype`);
  if (type !== undefined && !authorizer)
    throw new Error(`security scheme ${name}: x-amazon-apigateway-authorizer is required for the type ${type}`);
  if (authorizer) {
    const header = `method.request.header.${scheme.name}`;
    return { name, ...authorizer, identitySource: authorizer.type === 'token' ? header : authorizer.identitySource };
  }
  if (scheme.name !== 'x-api-key') throw new Error(`security scheme ${name}: the header of an API key is x-api-key`);
  return undefined;
}

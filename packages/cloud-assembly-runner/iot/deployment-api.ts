/** The calls of AWS IoT's API that are made during a deployment. */
import * as z from 'zod';
import type { DeploymentApi } from '../cloudformation/aws-custom-resource';
import type { Arns } from './arns';

/** An operation by the SDK's method name. @throws AwsCallError as AWS would, ZodError for unsupported parameters */
export type Operation = (input: unknown) => Readonly<Record<string, string>>;

const names = z.object({ authorizerName: z.string().optional(), domainConfigurationName: z.string().default('') });

/** @param domainArnOf ARN of the domain configuration with a name */
export function createDeploymentApi(
  operations: Readonly<Record<string, Operation>>,
  arns: Arns,
  domainArnOf: (name: string) => string,
): DeploymentApi {
  return {
    service: 'iot',
    resourceOf(parameters) {
      const { authorizerName, domainConfigurationName } = names.parse(parameters);
      return authorizerName === undefined ? domainArnOf(domainConfigurationName) : arns.authorizer(authorizerName);
    },
    call(action, parameters) {
      const operation = Object.hasOwn(operations, action) ? operations[action] : undefined;
      if (!operation) throw new Error(`the call iot:${action} is not supported on this machine`);
      return operation(parameters);
    },
  };
}

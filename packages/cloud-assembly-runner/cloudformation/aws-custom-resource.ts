/**
 * The CDK's AwsCustomResource: calls of AWS APIs during a deployment, made by a Lambda function of the CDK (AWS CDK API
 * reference, `custom-resources.AwsCustomResource`). On this machine stacks are only created, never updated or deleted.
 */
import * as z from 'zod';
import type { Iam } from '../iam';
import { evaluate } from '../iam/policy';
import { propertiesOf } from './properties';
import type { Created, Service } from '../service';

/** An API that is called only during a deployment. */
export interface DeploymentApi {
  /** The SDK's name, such as `iot`. */
  readonly service: string;
  /** ARN of the resource that a call affects, for IAM. */
  resourceOf(parameters: unknown): string;
  /**
   * Calls an operation by the SDK's method name. @throws AwsCallError as AWS would; Error for an unsupported operation
   */
  call(action: string, parameters: unknown): Readonly<Record<string, string>>;
}

/** An error of an AWS API with the SDK's name. */
export class AwsCallError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

const awsCall = z.strictObject({
  service: z.string(),
  action: z.string(),
  parameters: z.record(z.string(), z.unknown()).default({}),
  physicalResourceId: z.object({ id: z.string() }),
  outputPaths: z.array(z.string()).optional(),
  ignoreErrorCodesMatching: z.string().optional(),
});

const properties = z.object({
  /** ARN of the function that makes the calls. */
  ServiceToken: z.string(),
  Create: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(awsCall),
});

/** The type that `deploy` uses for every resource served by the CDK's function. */
export const AWS_CUSTOM_RESOURCE = 'Custom::AWS';

/** Prefix of that function's logical id in every app (`AwsCustomResource.PROVIDER_FUNCTION_UUID`). */
export const AWS_CUSTOM_RESOURCE_PROVIDER = /^AWS679f53fac002430cb0da5b7982bd2287/;

export interface AwsCustomResourcesOptions {
  readonly apis: readonly DeploymentApi[];
  readonly iam: Pick<Iam, 'policiesOf'>;
  /** Role ARN of a function. */
  roleOf(functionArn: string): string;
}

/** Makes the calls with the permissions of the CDK function's role. */
export function createAwsCustomResources({ apis, iam, roleOf }: AwsCustomResourcesOptions): Service {
  return {
    types: [AWS_CUSTOM_RESOURCE],
    create(resource): Created {
      const { ServiceToken, Create } = propertiesOf(resource, properties);
      const { service, action, parameters, physicalResourceId, outputPaths, ignoreErrorCodesMatching } = Create;
      const api = apis.find((one) => one.service === service);
      if (!api) throw new Error(`${resource.logicalId}: the API ${service} is not supported during a deployment`);
      const permission = { action: `${service}:${action}`, resource: api.resourceOf(parameters) };
      if (evaluate(iam.policiesOf(roleOf(ServiceToken)), permission) !== 'allow')
        throw new Error(
          `${resource.logicalId}: not authorized to perform ${permission.action} on ${permission.resource}`,
        );
      const outputs = outputsOf(() => api.call(action, parameters), ignoreErrorCodesMatching);
      const paths = Object.entries(outputs).filter(([path]) => outputPaths?.includes(path) ?? true);
      return { ref: physicalResourceId.id, attributes: Object.fromEntries(paths) };
    },
  };
}

function outputsOf(call: () => Readonly<Record<string, string>>, ignored: string | undefined) {
  try {
    return call();
  } catch (error) {
    if (ignored === undefined || !(error instanceof AwsCallError) || !new RegExp(ignored).test(error.name)) throw error;
    return {};
  }
}

/**
 * The CDK's AwsCustomResource: calls of AWS APIs that CloudFormation makes at deployment, through a function of the CDK's
 * own (AWS CDK API reference, `custom-resources.AwsCustomResource`). On this machine a stack is only ever created.
 */
import * as z from 'zod';
import type { Iam } from './iam';
import { evaluate } from './policy';
import { propertiesOf } from './properties';
import type { Created, Service } from './service';

/** An API that is called at deployment only. */
export interface DeploymentApi {
  /** As the SDK names it, such as `iot`. */
  readonly service: string;
  /** ARN of the resource that a call is about, for the policies of the caller. */
  resourceOf(parameters: unknown): string;
  /** Makes a call, named as the method of the SDK. @throws AwsCallError as AWS would; Error for what is not played */
  call(action: string, parameters: unknown): Readonly<Record<string, string>>;
}

/** An error of an AWS API, named as the SDK names it. */
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

/** The type under which `deploy` hands over every resource that the CDK's function serves, whatever its own is. */
export const AWS_CUSTOM_RESOURCE = 'Custom::AWS';

/** Logical ids of that function begin with it, in every app (`AwsCustomResource.PROVIDER_FUNCTION_UUID`). */
export const AWS_CUSTOM_RESOURCE_PROVIDER = /^AWS679f53fac002430cb0da5b7982bd2287/;

export interface AwsCustomResourcesOptions {
  readonly apis: readonly DeploymentApi[];
  readonly iam: Pick<Iam, 'policiesOf'>;
  /** ARN of the role of a function. */
  roleOf(functionArn: string): string;
}

/** Makes the calls that create such resources, as far as the role of the CDK's function may. */
export function createAwsCustomResources({ apis, iam, roleOf }: AwsCustomResourcesOptions): Service {
  return {
    types: [AWS_CUSTOM_RESOURCE],
    create(resource): Created {
      const { ServiceToken, Create } = propertiesOf(resource, properties);
      const { service, action, parameters, physicalResourceId, outputPaths, ignoreErrorCodesMatching } = Create;
      const api = apis.find((one) => one.service === service);
      if (!api) throw new Error(`${resource.logicalId}: no API ${service} is played for calls at deployment`);
      const permission = { action: `${service}:${action}`, resource: api.resourceOf(parameters) };
      if (evaluate(iam.policiesOf(roleOf(ServiceToken)), permission) !== 'allow')
        throw new Error(
          `${resource.logicalId}: not authorized to perform ${permission.action} on ${permission.resource}`,
        );
      const outputs = outputsOf(() => api.call(action, parameters), ignoreErrorCodesMatching);
      const shown = Object.entries(outputs).filter(([path]) => outputPaths?.includes(path) ?? true);
      return { ref: physicalResourceId.id, attributes: Object.fromEntries(shown) };
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

import { AWS_CUSTOM_RESOURCE, AWS_CUSTOM_RESOURCE_PROVIDER } from './aws-custom-resource';
import { toLocalHosts, type LocalAddresses } from '../aws-endpoint/aws-hosts';
import { resolveDynamicReferences } from './dynamic-references';
import { resolve } from './intrinsics';
import { checkNames } from './name-rules';
import type { Created, Resource, Service } from '../service';
import {
  accountId,
  inCreationOrder,
  region,
  scopeOf,
  type Assembly,
  type CreatedResource,
  type RawResource,
} from './template';

/** Outputs of the stack by key. */
export type Outputs = Readonly<Record<string, string>>;

/**
 * Creates every resource through the service of its type, after those it refers to, with intrinsic functions resolved
 * and public AWS hosts replaced by local ones. Returns the stack's outputs.
 * @throws Error before anything is created, naming all types that are neither supported nor in {@link ignored}, and for a name
 *   that the service of the resource would refuse
 */
export async function deploy(
  { template, stackName }: Assembly,
  services: readonly Service[],
  addresses: LocalAddresses,
): Promise<Outputs> {
  const serviceByType = new Map(services.flatMap((service) => service.types.map((type) => [type, service] as const)));
  const createdResources = new Map<string, CreatedResource>();
  const scope = scopeOf(template, stackName, (logicalId) => createdResources.get(logicalId));
  const resources = inCreationOrder(template, scope).map(withServiceType);
  checkTypes(resources, serviceByType);

  const secretOf = (arn: string) => services.map((one) => one.secretOf?.(arn)).find((secret) => secret !== undefined);
  const resolved = (value: unknown) => toLocalHosts(resolve(value, scope), addresses);
  for (const { logicalId, Type: type, Properties, Metadata } of resources) {
    const service = serviceByType.get(type);
    const resource: Resource = {
      logicalId,
      type,
      // CloudFormation does not resolve dynamic references in outputs, so that they show no secrets.
      properties: withPlace(logicalId, () =>
        resolveDynamicReferences(resolved(Properties), secretOf),
      ) as Resource['properties'],
      metadata: Metadata,
    };
    checkNames(logicalId, type, resource.properties);
    createdResources.set(
      logicalId,
      service ? createdBy(resource, await service.create(resource)) : ignoredResource(resource),
    );
  }

  const outputs = Object.entries(template.Outputs)
    .filter(([, { Condition }]) => Condition === undefined || scope.condition(Condition))
    .map(([name, { Value }]) => [name, String(withPlace(`Output ${name}`, () => resolved(Value)))] as const);
  return Object.fromEntries(outputs);
}

/** The CDK implements AwsCustomResource of any type with one Lambda function. */
function withServiceType(resource: RawResource): RawResource {
  const { 'Fn::GetAtt': token } = (resource.Properties['ServiceToken'] ?? {}) as { 'Fn::GetAtt'?: [string, string] };
  return token && AWS_CUSTOM_RESOURCE_PROVIDER.test(token[0]) ? { ...resource, Type: AWS_CUSTOM_RESOURCE } : resource;
}

function checkTypes(resources: readonly RawResource[], serviceByType: ReadonlyMap<string, Service>): void {
  const unknown = resources
    .filter(({ Type }) => !serviceByType.has(Type) && !Object.hasOwn(ignored, Type))
    .map(({ Type, logicalId }) => `${Type} (${logicalId})`);
  if (unknown.length === 0) return;
  throw new Error(
    `These resource types are not supported: ${unknown.join(', ')}. Implement them, or list them in cloudformation/deploy.ts as ignored, with a reason.`,
  );
}

function createdBy({ logicalId, type }: Resource, created: Created): CreatedResource {
  return {
    ref: created.ref,
    attribute: (name) => {
      const value = created.attributes?.[name];
      if (value === undefined) throw new Error(`${type} ${logicalId} has no attribute ${name} on this machine`);
      return value;
    },
  };
}

/** An ignored resource gets constant names, so that references to it resolve. */
function ignoredResource({ logicalId, type }: Resource): CreatedResource {
  const service = (type.split('::')[1] ?? type).toLowerCase();
  return {
    ref: logicalId,
    attribute: (name) =>
      name.endsWith('Arn') ? `arn:aws:${service}:${region}:${accountId}:${logicalId}` : `${logicalId}.${name}`,
  };
}

function withPlace<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`${place}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Resource types that have no effect on one machine, each with the reason. */
export const ignored: Readonly<Record<string, string>> = {
  'AWS::CDK::Metadata': 'reports the version of the CDK to AWS',
  'AWS::CloudWatch::CompositeAlarm': 'alarms fire one by one',
  'AWS::CloudWatch::Dashboard': 'there is no console to display it',
  'AWS::EventSchemas::Discoverer': 'schemas are documentation and input of code generators',
  'AWS::EventSchemas::Registry': 'schemas are documentation and input of code generators',
  'AWS::EventSchemas::RegistryPolicy': 'schemas are documentation and input of code generators',
  'AWS::EventSchemas::Schema': 'schemas are documentation and input of code generators',
  'AWS::Events::EventBusPolicy': 'there are no other accounts that could put events',
  'AWS::Logs::LogGroup': 'function logs are appended to functions.log in the data folder',
  'AWS::Logs::MetricFilter': 'only lines in the embedded format publish metrics',
  'AWS::SNS::Subscription': 'no notifications are sent',
  'AWS::SNS::Topic': 'no notifications are sent',
  'AWS::SNS::TopicPolicy': 'no notifications are sent',
  'AWS::WAFv2::WebACL': 'all requests come from this machine, so none are rate-limited by address',
  'AWS::WAFv2::WebACLAssociation': 'there is no web ACL to associate',
};

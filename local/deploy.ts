import { AWS_CUSTOM_RESOURCE, AWS_CUSTOM_RESOURCE_PROVIDER } from './aws-custom-resource';
import { toLocalHosts, type LocalAddresses } from './aws-hosts';
import { withSecrets } from './dynamic-references';
import { ignored } from './ignored';
import { resolve } from './intrinsics';
import type { Created, Resource, Service } from './service';
import { accountId, inCreationOrder, region, scopeOf, type Assembly, type Known, type RawResource } from './template';

/** Outputs of the stack, as CloudFormation shows them. */
export type Outputs = Readonly<Record<string, string>>;

/**
 * Creates every resource of the stack through the service that plays its type, each after those that it refers to, with
 * intrinsics resolved and public AWS hosts replaced by local ones, and gives the stack's outputs. Before anything is
 * created it throws for types that no service plays and that are not in `local/ignored.ts`, naming them all.
 */
export async function deploy(
  { template, stackName }: Assembly,
  services: readonly Service[],
  addresses: LocalAddresses,
): Promise<Outputs> {
  const playedBy = new Map(services.flatMap((service) => service.types.map((type) => [type, service] as const)));
  const known = new Map<string, Known>();
  const scope = scopeOf(template, stackName, (logicalId) => known.get(logicalId));
  const resources = inCreationOrder(template, scope).map(withPlayedType);
  refuseUnknownTypes(resources, playedBy);

  const secretOf = (arn: string) => services.map((one) => one.secretOf?.(arn)).find((secret) => secret !== undefined);
  const resolved = (value: unknown) => toLocalHosts(resolve(value, scope), addresses);
  for (const { logicalId, Type: type, Properties, Metadata } of resources) {
    const service = playedBy.get(type);
    const resource: Resource = {
      logicalId,
      type,
      // CloudFormation shows no secret in an output: there a reference stays what it is.
      properties: within(logicalId, () => withSecrets(resolved(Properties), secretOf)) as Resource['properties'],
      metadata: Metadata,
    };
    known.set(logicalId, service ? played(resource, await service.create(resource)) : absent(resource));
  }

  const outputs = Object.entries(template.Outputs)
    .filter(([, { Condition }]) => Condition === undefined || scope.condition(Condition))
    .map(([name, { Value }]) => [name, String(within(`Output ${name}`, () => resolved(Value)))] as const);
  return Object.fromEntries(outputs);
}

/** The CDK serves custom resources of many types with one function of its own. */
function withPlayedType(resource: RawResource): RawResource {
  const { 'Fn::GetAtt': token } = (resource.Properties['ServiceToken'] ?? {}) as { 'Fn::GetAtt'?: [string, string] };
  return token && AWS_CUSTOM_RESOURCE_PROVIDER.test(token[0]) ? { ...resource, Type: AWS_CUSTOM_RESOURCE } : resource;
}

function refuseUnknownTypes(resources: readonly RawResource[], playedBy: ReadonlyMap<string, Service>): void {
  const unknown = resources
    .filter(({ Type }) => !playedBy.has(Type) && !Object.hasOwn(ignored, Type))
    .map(({ Type, logicalId }) => `${Type} (${logicalId})`);
  if (unknown.length === 0) return;
  throw new Error(
    `The local stack does not know ${unknown.join(', ')}. Play the type in local/, or list it in local/ignored.ts with a reason.`,
  );
}

function played({ logicalId, type }: Resource, created: Created): Known {
  return {
    ref: created.ref,
    attribute: (name) => {
      const value = created.attributes?.[name];
      if (value === undefined) throw new Error(`${type} ${logicalId} has no attribute ${name} on this machine`);
      return value;
    },
  };
}

/** An ignored resource has names that are always the same, so that what refers to it still resolves. */
function absent({ logicalId, type }: Resource): Known {
  const service = (type.split('::')[1] ?? type).toLowerCase();
  return {
    ref: logicalId,
    attribute: (name) =>
      name.endsWith('Arn') ? `arn:aws:${service}:${region}:${accountId}:${logicalId}` : `${logicalId}.${name}`,
  };
}

function within<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`${place}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

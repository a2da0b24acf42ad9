import {
  DeleteDomainConfigurationCommand,
  DescribeDomainConfigurationCommand,
  type IoTClient,
  paginateListDomainConfigurations,
} from '@aws-sdk/client-iot';

/** A domain configuration of a stack of this app, whose domain name AWS manages. */
export interface ManagedDomain {
  readonly name: string;
  readonly enabled: boolean;
  /** When AWS allows deleting it; undefined while it is enabled, or when AWS does not say since when it is disabled. */
  readonly deletableFrom: Date | undefined;
}

/** A managed one must have been disabled for 7 days (AWS IoT developer guide, "Managing domain configurations"). */
const DISABLED_MS = 7 * 24 * 3600 * 1000;

/**
 * The managed domain configurations of stacks of this app. Others in the Region are not even described.
 * @param stack only those of this stack; undefined: of every stage
 * @throws the SDK's error
 */
export async function managedDomains(client: IoTClient, stack: string | undefined): Promise<ManagedDomain[]> {
  const ours = stack === undefined ? /^DroneMissionApi(-[a-z0-9-]+)?-(mqtt|viewers)$/ : undefined;
  const isOurs = (name: string) => ours?.test(name) ?? [`${stack}-mqtt`, `${stack}-viewers`].includes(name);
  const found: ManagedDomain[] = [];
  for await (const { domainConfigurations = [] } of paginateListDomainConfigurations({ client }, {})) {
    for (const { domainConfigurationName: name = '' } of domainConfigurations.filter((one) =>
      isOurs(one.domainConfigurationName ?? ''),
    )) {
      const answer = await client.send(new DescribeDomainConfigurationCommand({ domainConfigurationName: name }));
      if (answer.domainType !== 'AWS_MANAGED') continue;
      const enabled = answer.domainConfigurationStatus !== 'DISABLED';
      const since = answer.lastStatusChangeDate;
      const deletableFrom = enabled || !since ? undefined : new Date(since.getTime() + DISABLED_MS);
      found.push({ name, enabled, deletableFrom });
    }
  }
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}

export const isDeletable = ({ deletableFrom }: ManagedDomain, now: Date): boolean =>
  deletableFrom !== undefined && deletableFrom <= now;

/** @throws the SDK's error */
export async function deleteDomain(client: IoTClient, { name }: ManagedDomain): Promise<void> {
  await client.send(new DeleteDomainConfigurationCommand({ domainConfigurationName: name }));
}

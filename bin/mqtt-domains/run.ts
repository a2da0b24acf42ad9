import {
  type IoTClient,
  DeleteDomainConfigurationCommand,
  DescribeDomainConfigurationCommand,
  paginateListDomainConfigurations,
} from '@aws-sdk/client-iot';
import { readOptionsAndWords } from '../command-line/read-options';
import type { Terminal } from '../command-line/terminal';
import { UsageError } from '../command-line/errors';

/** A domain configuration of a stack of this app, whose domain name AWS manages. */
interface ManagedDomain {
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
async function managedDomains(client: IoTClient, stack: string | undefined): Promise<ManagedDomain[]> {
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

const isDeletable = ({ deletableFrom }: ManagedDomain, now: Date): boolean =>
  deletableFrom !== undefined && deletableFrom <= now;

/** @throws the SDK's error */
async function deleteDomain(client: IoTClient, { name }: ManagedDomain): Promise<void> {
  await client.send(new DeleteDomainConfigurationCommand({ domainConfigurationName: name }));
}

const help = `Lists and deletes the MQTT domain configurations that deleted stacks have left (docs/deploying.md, section 8).

npm run --silent mqtt-domains -- list   [options]
npm run --silent mqtt-domains -- delete [options]   those that have been disabled for 7 days

  --stack NAME     of this stack only (default: of every stage)
  --region NAME    default: $AWS_REGION, else that of the profile
  --yes            delete without a question
`;

const options = {
  stack: { type: 'string' },
  region: { type: 'string' },
  yes: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/**
 * Runs a command line. Standard output is the list of configurations; questions and errors are on standard error.
 * @param args without the program's name
 * @returns exit code: 0 done, 1 failed, 2 invalid command line
 */
export async function run(
  args: readonly string[],
  terminal: Terminal,
  clientIn: (region: string | undefined) => IoTClient,
  now = new Date(),
): Promise<number> {
  try {
    const { values, words } = readOptionsAndWords(args, options);
    const [command, ...more] = words;
    if (values.help || command === 'help') {
      terminal.print(help);
      return 0;
    }
    if ((command !== 'list' && command !== 'delete') || more.length > 0) throw new UsageError('either list or delete');
    const client = clientIn(values.region);
    const domains = await managedDomains(client, values.stack);
    terminal.print(domains.map((domain) => `${domain.name}  ${stateOf(domain, now)}\n`).join('') || 'none\n');
    if (command === 'delete') await deleteOf(domains, values.yes ?? false);
    return 0;

    async function deleteOf(all: readonly ManagedDomain[], confirmed: boolean): Promise<void> {
      const deletable = all.filter((domain) => isDeletable(domain, now));
      if (deletable.length === 0) {
        terminal.printError('nothing can be deleted\n');
        return;
      }
      if (!confirmed) await confirm(deletable, terminal);
      for (const domain of deletable) {
        await deleteDomain(client, domain);
        terminal.printError(`${domain.name} deleted\n`);
      }
    }
  } catch (error) {
    terminal.printError(
      `mqtt-domains: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`,
    );
    return error instanceof UsageError ? 2 : 1;
  }
}

/** @throws UsageError when nobody can answer, or the answer is not yes */
async function confirm(deletable: readonly ManagedDomain[], { ask }: Terminal): Promise<void> {
  if (!ask) throw new UsageError('delete needs --yes where nobody can be asked');
  const answer = await ask(`This deletes for good: ${deletable.map(({ name }) => name).join(', ')}. Type y to go on: `);
  if (!['y', 'yes'].includes(answer.trim())) throw new UsageError('nothing was deleted');
}

function stateOf(domain: ManagedDomain, now: Date): string {
  if (domain.enabled) return 'enabled: in use';
  if (isDeletable(domain, now)) return 'disabled: can be deleted';
  if (domain.deletableFrom) return `disabled: can be deleted from ${domain.deletableFrom.toISOString()}`;
  return 'disabled: AWS does not say since when';
}

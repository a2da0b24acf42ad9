import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { readChannelEvents } from '../../data/events/read-events';
import { digestShareCode } from '../../data/shares/share-id';
import { table } from '../../data/store/dynamodb';
import { kindOf, organisationOf } from '../../domain/values/id';
import type { Terminal } from '../command-line/terminal';
import { UsageError, reasonOf } from '../command-line/errors';
import { findDeployment } from '../deployment/deployment';
import { restoreItems, type RestoredItem } from './restore';
import { readFileSync } from 'node:fs';
import { restorableTables, type RestorableTable } from '../../domain/shares/restoration';
import { tableNames, type TableName } from '../../domain/values/table-names';
import { readOptionsAndWords } from '../command-line/read-options';

const help = `Puts back what was lost in a table, from a copy of an earlier time (docs/deploying.md). The service may run meanwhile.

npm run --silent restore-items -- TABLE --from COPY [options]   TABLE: ${restorableTables.join(', ')}

It lists what would change, and what stays as it is because it has ended or was deleted since. Such an item is put back only when it is
named: the platform flies a job that is put back, and a share lets its viewers in again.

  --from COPY    name of the table that was restored from a point in time
  --item ID      an item to put back although it has ended, a share by its digest; may be repeated
  --items FILE   such items, one identifier a line
  --write        write; without it nothing is written
  --stack NAME   default: $STACK_NAME, else DroneMissionApi
  --local        the stack on this machine
`;

const options = {
  from: { type: 'string' },
  item: { type: 'string', multiple: true },
  items: { type: 'string' },
  write: { type: 'boolean' },
  stack: { type: 'string' },
  local: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** Why a table has no restore. */
const unrestorable: Readonly<Record<Exclude<TableName, RestorableTable>, string>> = {
  requests: 'its items expire within a day',
  connections: 'it holds the sockets that are open now',
  events: 'an earlier end would give numbers of events a second time',
  commands: 'they have ended, and their devices were told',
};

/** What a command line asks for. */
interface CommandLine {
  readonly table: RestorableTable;
  readonly from: string;
  readonly named: ReadonlySet<string>;
  readonly write: boolean;
  readonly stack: string | undefined;
  readonly local: boolean | undefined;
}

/** Reads a command line. @returns undefined when it asks for help @throws UsageError */
export function readCommandLine(args: readonly string[]): CommandLine | undefined {
  const { values, words } = readOptionsAndWords(args, options);
  const { from, item = [], items, write = false, stack, local } = values;
  const [word, ...more] = words;
  if (values.help || word === 'help') return undefined;
  if (word === undefined || more.length > 0) throw new UsageError(`give one table: ${restorableTables.join(', ')}`);
  const table = readTable(word);
  if (from === undefined) throw new UsageError('--from COPY is required');
  const named = new Set([...item, ...(items === undefined ? [] : readNames(items))]);
  return { table, from, named, write, stack, local };
}

function readTable(word: string): RestorableTable {
  const table = restorableTables.find((name) => name === word);
  if (table) return table;
  const known = tableNames.find((name) => name === word) as keyof typeof unrestorable | undefined;
  if (known) throw new UsageError(`${known} can't be restored: ${unrestorable[known]}`);
  throw new UsageError(`unknown table; known are ${restorableTables.join(', ')}`);
}

function readNames(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\s+/).filter(Boolean);
  } catch (error) {
    throw new UsageError(`--items: ${(error as Error).message}`);
  }
}

/**
 * Runs a command line. Standard output is the list of items that are not the same, and their number.
 * @param args without the program's name
 * @returns exit code: 0 done, 1 failed, 2 invalid command line
 */
export async function run(args: readonly string[], terminal: Terminal, now = new Date()): Promise<number> {
  try {
    const asked = readCommandLine(args);
    if (asked) await restore(asked, terminal, now);
    else terminal.print(help);
    return 0;
  } catch (error) {
    terminal.printError(`restore-items: ${reasonOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function restore({ table: kind, from, named, write, ...target }: CommandLine, terminal: Terminal, now: Date) {
  await findDeployment(target);
  const counts = { changed: 0, again: 0, kept: 0 };
  const tell = ({ id, restoration }: RestoredItem) => {
    counts[restoration.kind] += 1;
    terminal.print(`${lineOf(printableId(id), restoration)}\n`);
  };
  const client = new DynamoDBClient();
  const isNamed = (id: string) => named.has(printableId(id));
  const lastVersion = (id: string) => lastVersionOf(id, now);
  const options = { kind, from, to: table(kind), isNamed, write, at: now.toISOString(), lastVersion };
  const same = await restoreItems(client, options, tell);
  const done = write ? '' : 'would be ';
  const totals = [`${same} the same`, `${counts.kept} kept`, `${counts.changed} ${done}changed`];
  terminal.print(`${[...totals, `${counts.again} ${done}put back`].join(', ')}\n`);
  if (!write && counts.changed + counts.again > 0) terminal.printError('nothing was written: add --write\n');
}

function lineOf(id: string, restoration: RestoredItem['restoration']): string {
  switch (restoration.kind) {
    case 'changed':
      return `change    ${id}  ${restoration.names.join(', ')}`;
    case 'again':
      return `put back  ${id}`;
    case 'kept':
      return `keep      ${id}  ${restoration.because}`;
  }
}

/** Whoever knows the code of a share has access. */
const printableId = (id: string): string => (kindOf(id) === 'share' ? digestShareCode(id) : id);

/** The last version of a resource that its followers heard of, from the event log; 0 for none. */
async function lastVersionOf(id: string, now: Date): Promise<number> {
  const kind = kindOf(id);
  const organisation = kind && organisationOf(kind, id);
  if (!organisation) return 0;
  const events = await readChannelEvents(organisation, { kind, id }, now);
  return Math.max(0, ...events.map(({ message }) => message.sequence));
}

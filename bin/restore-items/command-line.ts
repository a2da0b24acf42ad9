import { readFileSync } from 'node:fs';
import { restorableTables, type RestorableTable } from '../../domain/shares/restoration';
import { tableNames, type TableName } from '../../domain/values/table-names';
import { readOptionsAndWords } from '../command-line/read-options';
import { UsageError } from '../command-line/usage-error';

export const help = `Puts back what was lost in a table, from a copy of an earlier time (docs/deploying.md). The service may run meanwhile.

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
export interface CommandLine {
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

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { readChannelEvents } from '../../data/events/read-events';
import { digestShareCode } from '../../data/shares/share-id';
import { table } from '../../data/store/dynamodb';
import { kindOf, organisationOf } from '../../domain/values/id';
import type { Terminal } from '../command-line/terminal';
import { UsageError } from '../command-line/usage-error';
import { findDeployment } from '../deployment/deployment';
import { reasonOf } from '../command-line/reason';
import { help, readCommandLine, type CommandLine } from './command-line';
import { restoreItems, type RestoredItem } from './restore';

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

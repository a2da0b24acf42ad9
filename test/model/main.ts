import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readFacts } from '../api/stack/facts';
import { startStack, stopStack } from '../api/stack/running-stack';
import {
  CLIENTS_PER_ORGANISATION,
  onboardAir,
  onboardDocks,
  onboardOrganisations,
  ORGANISATIONS,
} from './organisations';
import { generateOperations, topics, type Topic, type Operation } from './operations';
import { type Transport, runOperation, transportOf } from './run-operation';
import type { CountedCall } from './rate-limit-violations';
import { openSession, type Session } from './session';
import { checkAll, type CheckResult } from './check-history';
import { waitUntilSettled } from './settle-history';
import { HistoryRecorder } from './history-recorder';

interface BatchResult extends CheckResult {
  readonly counts: ReadonlyMap<Transport, number>;
}

/** Disconnects all remaining followers; an MQTTS connection that the server closed is a violation. */
async function disconnectAll(recorder: HistoryRecorder, { connections }: Session): Promise<void> {
  const open = [
    ...recorder.followers.filter(({ left, closed }) => left === undefined && !closed),
    ...recorder.subscribers.filter(({ leavesAt, closed }) => leavesAt === undefined && !closed),
  ];
  await Promise.allSettled(open.map(({ leave }) => leave()));
  for (const [name, { closedAt }] of connections)
    if (closedAt !== undefined) recorder.addViolation(name, 'the server closed its MQTTS connection');
}

/**
 * Runs operations concurrently on jobs and shares of their own, waits until everything has settled, deletes all resources
 * and checks the recorded history.
 * @param concurrency number of concurrent operations
 */
async function runBatch(session: Session, operations: readonly Operation[], concurrency: number): Promise<BatchResult> {
  const recorder = new HistoryRecorder(
    session.facts,
    session.organisations,
    session.callers,
    session.docks,
    session.air,
    session.counted,
  );
  const { connections, publishers } = session;
  const counts = new Map<Transport, number>();
  const waiting = operations.values();
  const runNext = async () => {
    for (const operation of waiting) {
      const transport = transportOf(operation);
      counts.set(transport, (counts.get(transport) ?? 0) + 1);
      await runOperation({ recorder, connections, publishers }, operation);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runNext));
  const settledAt = await waitUntilSettled(recorder);
  await disconnectAll(recorder, session);
  return { ...checkAll(recorder, settledAt), counts };
}

/** Most operations that are checked together; each batch uses the next seed. */
const BATCH_SIZE = 1000;
/** Clients get new tokens well before theirs expire after an hour, in ms. */
const SESSION_LIFETIME_MS = 30 * 60_000;
/** How many violations are printed; the others are only counted. */
const MAX_PRINTED = 20;

function options(words: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...words],
    options: {
      operations: { type: 'string', default: '1000' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      'at-once': { type: 'string', default: '12' },
      about: { type: 'string', default: topics[0] },
    },
  });
  const about = topics.find((topic) => topic === values.about);
  if (about === undefined) throw new Error(`--about is one of: ${topics.join(', ')}`);
  const numbers = [values.operations, values.seed, values['at-once']].map(Number);
  if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 0))
    throw new Error('--operations, --seed and --at-once are whole numbers');
  const [operations = 0, seed = 0, atOnce = 0] = numbers;
  return { operations, seed, atOnce: Math.max(1, atOnce), about };
}

interface Options {
  readonly operations: number;
  readonly seed: number;
  readonly atOnce: number;
  readonly about: Topic;
}

/** Totals over all batches. */
class Totals {
  private readonly startedAt = performance.now();
  private readonly counts = new Map<Transport, number>();
  private resources = 0;
  private longestSearch = 0;
  private longestHistory = 0;

  add(result: BatchResult): void {
    for (const [transport, more] of result.counts) this.counts.set(transport, (this.counts.get(transport) ?? 0) + more);
    this.resources += result.resources;
    this.longestSearch = Math.max(this.longestSearch, result.longestSearch);
    this.longestHistory = Math.max(this.longestHistory, result.longestHistory);
  }

  toString(): string {
    const total = [...this.counts.values()].reduce((sum, count) => sum + count, 0);
    const by = [...this.counts].toSorted().map(([transport, count]) => `${count} ${transport}`);
    return (
      `${total} operations (${by.join(', ')}) in ${((performance.now() - this.startedAt) / 1000).toFixed(1)} s; ` +
      `${this.resources} resources, longest history ${this.longestHistory}, longest search ${this.longestSearch}`
    );
  }
}

/** Runs batches until one has a violation. @returns whether everything could be explained */
async function run(newSession: () => Promise<Session>, { operations, seed, atOnce, about }: Options): Promise<boolean> {
  const totals = new Totals();
  let session = await newSession();
  let openedAt = performance.now();
  for (let done = 0, batchSeed = seed; done < operations; done += BATCH_SIZE, batchSeed += 1) {
    const count = Math.min(BATCH_SIZE, operations - done);
    const result = await runBatch(
      session,
      generateOperations(batchSeed, count, ORGANISATIONS, CLIENTS_PER_ORGANISATION, about),
      atOnce,
    );
    totals.add(result);
    const { violations } = result;
    if (violations.length > 0) {
      console.log(
        `${violations.length} can't be explained. Again: --about '${about}' --seed ${batchSeed} --operations ${count}`,
      );
      for (const violation of violations.slice(0, MAX_PRINTED)) console.log(`\n${violation}`);
      await session.close();
      return false;
    }
    if (operations > done + count) console.log(`${totals.toString()} so far`);
    if (performance.now() - openedAt < SESSION_LIFETIME_MS) continue;
    await session.close();
    session = await newSession();
    openedAt = performance.now();
  }
  await session.close();
  console.log(`${totals.toString()}; all explained`);
  return true;
}

/**
 * `npm run model -- [--operations <count>] [--seed <seed>] [--about <topic>]`: random operations over every transport
 * against a stack of its own, with each answer and message checked by a model. Fails when something can't be explained.
 */
async function main(words: readonly string[]): Promise<void> {
  const wanted = options(words);
  console.log(`seed ${wanted.seed}`);
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const stack = await startStack();
  try {
    process.env['STACK_FILE'] = join(stack.folder, 'stack.json');
    const facts = readFacts();
    const organisations = await onboardOrganisations();
    const docks = await onboardDocks();
    const air = await onboardAir();
    const counted: CountedCall[] = [];
    if (!(await run(() => openSession(facts, organisations, docks, air, counted), wanted))) process.exitCode = 1;
  } catch (error) {
    // At once: what still runs fails when the stack has stopped, and nobody waits for it.
    console.error(error);
    process.exitCode = 1;
  } finally {
    await stopStack(stack);
    rmSync(stack.folder, { recursive: true, force: true });
  }
}

main(process.argv.slice(2)).then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error instanceof Error ? error.stack : error);
    process.exit(1);
  },
);

import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readFacts } from '../api/stack/facts';
import { startStack, stopStack } from '../api/stack/running-stack';
import { CLIENTS, onboard, ORGANISATIONS } from './cast';
import { runChapter, type ChapterResult } from './chapter';
import { operationsFrom } from './operations';
import type { Transport } from './perform';
import type { CountedCall } from './creation-model';
import { setScene, type Scene } from './scene';

/** Most operations that are judged together; each chapter has a seed of its own, one more than the one before. */
const CHAPTER = 1000;
/** A token lives for an hour; clients get new ones well before that, in ms. */
const NEW_SCENE_AFTER_MS = 30 * 60_000;
/** How many faults are printed; the others are counted. */
const SHOWN = 20;

function options(words: readonly string[]): Wanted {
  const { values } = parseArgs({
    args: [...words],
    options: {
      operations: { type: 'string', default: '1000' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      'at-once': { type: 'string', default: '12' },
    },
  });
  const numbers = [values.operations, values.seed, values['at-once']].map(Number);
  if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 0))
    throw new Error('--operations, --seed and --at-once are whole numbers');
  const [operations = 0, seed = 0, atOnce = 0] = numbers;
  return { operations, seed, atOnce: Math.max(1, atOnce) };
}

interface Wanted {
  readonly operations: number;
  readonly seed: number;
  readonly atOnce: number;
}

/** Adds up what chapters have done and found. */
class Figures {
  private readonly begun = performance.now();
  private readonly counts = new Map<Transport, number>();
  private resources = 0;
  private longestSearch = 0;
  private longestHistory = 0;

  add(result: ChapterResult): void {
    for (const [transport, more] of result.counts) this.counts.set(transport, (this.counts.get(transport) ?? 0) + more);
    this.resources += result.resources;
    this.longestSearch = Math.max(this.longestSearch, result.longestSearch);
    this.longestHistory = Math.max(this.longestHistory, result.longestHistory);
  }

  toString(): string {
    const total = [...this.counts.values()].reduce((sum, count) => sum + count, 0);
    const by = [...this.counts].toSorted().map(([transport, count]) => `${count} ${transport}`);
    return (
      `${total} operations (${by.join(', ')}) in ${((performance.now() - this.begun) / 1000).toFixed(1)} s; ` +
      `${this.resources} resources, longest history ${this.longestHistory}, longest search ${this.longestSearch}`
    );
  }
}

/** Runs chapter after chapter until one has a fault. Gives whether all could be explained. */
async function run(newScene: () => Promise<Scene>, { operations, seed, atOnce }: Wanted): Promise<boolean> {
  const figures = new Figures();
  let scene = await newScene();
  let setAt = performance.now();
  for (let done = 0, chapter = seed; done < operations; done += CHAPTER, chapter += 1) {
    const count = Math.min(CHAPTER, operations - done);
    const result = await runChapter(scene, operationsFrom(chapter, count, ORGANISATIONS, CLIENTS), atOnce);
    figures.add(result);
    const { faults } = result;
    if (faults.length > 0) {
      console.log(`${faults.length} can't be explained. Again: --seed ${chapter} --operations ${count}`);
      for (const fault of faults.slice(0, SHOWN)) console.log(`\n${fault}`);
      return false;
    }
    if (operations > done + count) console.log(`${figures.toString()} so far`);
    if (performance.now() - setAt < NEW_SCENE_AFTER_MS) continue;
    await scene.close();
    scene = await newScene();
    setAt = performance.now();
  }
  await scene.close();
  console.log(`${figures.toString()}; all explained`);
  return true;
}

/**
 * `npm run model -- [--operations <count>] [--seed <seed>]`: random operations over every transport against a stack of its
 * own, each answer and each message judged by a model. Fails when something can't be explained.
 */
async function main(words: readonly string[]): Promise<void> {
  const wanted = options(words);
  console.log(`seed ${wanted.seed}`);
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const stack = await startStack();
  try {
    process.env['STACK_FILE'] = join(stack.folder, 'stack.json');
    const facts = readFacts();
    const organisations = await onboard();
    const counted: CountedCall[] = [];
    if (!(await run(() => setScene(facts, organisations, counted), wanted))) process.exitCode = 1;
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

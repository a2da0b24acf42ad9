import Sequencer from '@jest/test-sequencer';
import { readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';

export const root = realpathSync(new URL('../..', import.meta.url));

export const durationsFile = new URL('durations.json', import.meta.url);

/** Seconds that long test files take, by path from the root. */
export const durations = () => JSON.parse(readFileSync(durationsFile, 'utf8'));

/** Tests of projects with a stack wait for it in an environment of its folder. */
const stackFolder = join(root, 'test/api/stack');

/** Gives jest the order of its test files: not by the last run on this machine, which a fresh clone doesn't have. */
export default class LongestFirst extends Sequencer {
  #workers;

  constructor(options) {
    super(options);
    this.#workers = options.globalConfig.maxWorkers;
  }

  sort(tests) {
    const described = Array.from(tests, (test) => ({
      test,
      path: relative(root, test.path),
      needsStack: test.context.config.testEnvironment.startsWith(stackFolder),
    }));
    // For the start of the stack, which follows in this process.
    globalThis.filesWithStack = described.filter(({ needsStack }) => needsStack).map(({ test }) => test.path);
    return inOrder(described, this.#workers, durations()).map(({ test }) => test);
  }
}

/** Seconds of a file whose duration isn't kept: it is short, or new. */
const DEFAULT_S = 1;
/** Seconds from the start of a run until its stack is ready. */
const STACK_READY_S = 30;

/**
 * The order of a run: the longest test files first, so that none runs alone at the end. While the stack starts, the
 * workers have files that need none.
 * @param tests `{ path, needsStack }` of each, the path from the root
 * @param workers how many files run at a time
 * @param durations seconds, by path
 */
export function inOrder(tests, workers, durations) {
  const seconds = ({ path }) => durations[path] ?? DEFAULT_S;
  const sorted = tests.toSorted((one, other) => seconds(other) - seconds(one) || (one.path < other.path ? -1 : 1));
  let until = STACK_READY_S * workers;
  const first = new Set();
  for (const test of sorted.filter(({ needsStack }) => !needsStack)) {
    if (until <= 0) break;
    first.add(test);
    until -= seconds(test);
  }
  return [...first, ...sorted.filter((test) => !first.has(test))];
}

import Sequencer from '@jest/test-sequencer';
import { join, relative } from 'node:path';
import { durations, root } from './durations.mjs';
import { inOrder } from './order.mjs';

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

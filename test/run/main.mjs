import { run } from 'jest';
import { jestArguments } from './jest-arguments.mjs';

/** `npm test`: the tests of the service, or those of the paths that the command line names, whichever project they are in. */
// As jest's own program does. The AWS CDK, for one, changes modules of Node.js elsewhere, for all test files of a worker.
process.env.NODE_ENV ??= 'test';
const given = process.argv.slice(2);
try {
  // npm runs scripts in the root; INIT_CWD is where it was called.
  const { root, words } = await jestArguments(given, process.env.INIT_CWD ?? process.cwd());
  await run(words, root);
} catch (error) {
  console.error(`npm test: ${error.message}`);
  process.exitCode = 1;
}

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Whether the stack under test is one elsewhere, which is known by its addresses alone: BASE_URL names it, and the
 * environment leads to its AWS account as it would lead the AWS command line.
 */
export const isElsewhere = () => Boolean(process.env['BASE_URL']);

/**
 * The `stack.json` of the local stack under test: of the one that jest has started, or of one that runs already.
 * @throws Error when the stack under test is elsewhere
 */
export function stackFile(): string {
  const file = process.env['STACK_FILE'];
  if (!file) throw new Error('STACK_FILE is not set: jest starts a stack and sets it, unless BASE_URL names another');
  return file;
}

/** Data folder of the local stack under test, undefined when it is elsewhere. */
export function localFolder(): string | undefined {
  if (isElsewhere()) return undefined;
  const folder = dirname(stackFile());
  if (!existsSync(join(folder, 'aws.json'))) throw new Error(`no stack runs in ${folder}: aws.json is not there`);
  return folder;
}

/** As `localFolder`, for what only works on this machine. @throws Error when the stack under test is elsewhere */
export function expectLocalFolder(): string {
  const folder = localFolder();
  if (folder === undefined) throw new Error('a stack elsewhere has no folder here: move the test to on-this-machine/');
  return folder;
}

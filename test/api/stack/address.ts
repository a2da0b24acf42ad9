import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Whether the stack under test is remote, known by its addresses only: BASE_URL names it, and the
 * environment gives access to its AWS account, as for the AWS CLI.
 */
export const isElsewhere = () => Boolean(process.env['BASE_URL']);

/**
 * The `stack.json` of the local stack under test, started by jest or running already.
 * @throws Error when the stack under test is remote
 */
export function stackFile(): string {
  const file = process.env['STACK_FILE'];
  if (!file) throw new Error('STACK_FILE is not set: jest starts a stack and sets it, unless BASE_URL names another');
  return file;
}

/** Data folder of the local stack under test; undefined for a remote one. */
export function localFolder(): string | undefined {
  if (isElsewhere()) return undefined;
  const folder = dirname(stackFile());
  if (!existsSync(join(folder, 'aws.json'))) throw new Error(`no stack runs in ${folder}: aws.json is not there`);
  return folder;
}

/** As `localFolder`, for tests that need this machine. @throws Error when the stack under test is remote */
export function expectLocalFolder(): string {
  const folder = localFolder();
  if (folder === undefined) throw new Error('a stack elsewhere has no folder here: move the test to on-this-machine/');
  return folder;
}

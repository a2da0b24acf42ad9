import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { runPartnerCommand } from './aws-access';
import { readLogs, secretsIn } from './logs';
import { organisationIds } from './organisations';
import { stopStack } from './running-stack';
import type { GlobalWithStack } from './start';

/** Removes everything that `start` created; fails when a log contains a secret. */
export default async function stop(): Promise<void> {
  const { runningStack } = globalThis as GlobalWithStack;
  let secrets: string[] = [];
  if (runningStack) {
    await stopStack(runningStack);
    secrets = secretsIn(readLogs(runningStack.folder));
    rmSync(runningStack.folder, { recursive: true });
    delete process.env['STACK_FILE'];
  } else {
    // From a stack that keeps running, the tests' partners are removed.
    for (const id of organisationIds()) await runPartnerCommand('offboard', '--yes', '--organisation-id', id);
  }
  const { ORGANISATIONS_FILE } = process.env;
  if (ORGANISATIONS_FILE) rmSync(dirname(ORGANISATIONS_FILE), { recursive: true });
  if (secrets.length > 0) throw new Error(`The logs of the stack contain ${secrets.length} secrets`);
}

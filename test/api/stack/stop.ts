import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { runPartnerCommand } from './aws-access';
import { readLogs, secretsIn, stopStack } from './running-stack';
import { organisationIds } from './organisations';
import { organisationsFile } from './readiness';
import type { BegunStack, GlobalWithStack } from './start';

/** Removes everything that `start` created; fails when a log contains a secret. */
export default async function stop(): Promise<void> {
  const { runningStack } = globalThis as GlobalWithStack;
  try {
    if (runningStack) await stopHere(runningStack);
    // From a stack that keeps running, the tests' partners are removed.
    else for (const id of organisationIds()) await runPartnerCommand('offboard', '--yes', '--organisation-id', id);
  } finally {
    rmSync(dirname(organisationsFile()), { recursive: true });
  }
}

async function stopHere(stack: BegunStack): Promise<void> {
  await stack.begun;
  try {
    await stopStack(stack);
    const secrets = secretsIn(readLogs(stack.folder));
    if (secrets.length > 0) throw new Error(`The logs of the stack contain ${secrets.length} secrets`);
  } finally {
    rmSync(stack.folder, { recursive: true });
    delete process.env['STACK_FILE'];
  }
}

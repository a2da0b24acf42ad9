import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { runPartnerCommand } from './aws-access';
import { readLogs, secretsIn } from './logs';
import { organisationIds } from './organisations';
import { stopStack } from './running-stack';
import type { GlobalWithStack } from './start';

/** Removes what `start` made; fails when anything that the tests did has left a secret in a log. */
export default async function stop(): Promise<void> {
  const { runningStack } = globalThis as GlobalWithStack;
  const found = runningStack ? await stopAndSearch(runningStack.folder) : await offboard();
  const { ORGANISATIONS_FILE } = process.env;
  if (ORGANISATIONS_FILE) rmSync(dirname(ORGANISATIONS_FILE), { recursive: true });
  if (found.length > 0) throw new Error(`The logs of the stack hold ${found.length} secrets`);

  async function stopAndSearch(folder: string): Promise<string[]> {
    if (runningStack) await stopStack(runningStack);
    delete process.env['STACK_FILE'];
    const secrets = secretsIn(readLogs(folder));
    rmSync(folder, { recursive: true });
    return secrets;
  }
}

/** A stack that goes on running is left without the partners of the tests. */
async function offboard(): Promise<string[]> {
  for (const id of organisationIds()) await runPartnerCommand('offboard', '--organisation-id', id);
  return [];
}

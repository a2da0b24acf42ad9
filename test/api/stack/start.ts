import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isElsewhere } from './address';
import { runPartnerCommand } from './aws-access';
import { nameChannels } from './facts';
import { onboarding } from './organisations';
import { startStack, stopStack, type RunningStack } from './running-stack';

/** Passes the stack from `start` to `stop`. */
export type GlobalWithStack = typeof globalThis & { runningStack?: RunningStack };

/**
 * Starts a local stack once for all tests, unless the environment names another: BASE_URL a remote one, STACK_FILE the
 * `stack.json` of one that runs on this machine already. Onboards the test organisations by the
 * command that onboards real ones.
 */
export default async function start(): Promise<void> {
  if (isElsewhere() || process.env['STACK_FILE']) return onboard();
  return startHere();
}

/** Starts a stack on this machine whatever the environment names. @param words further options of `npm start` */
export async function startHere(...words: string[]): Promise<void> {
  const stack = await startStack(['--no-fleet', ...words]);
  (globalThis as GlobalWithStack).runningStack = stack;
  process.env['STACK_FILE'] = join(stack.folder, 'stack.json');
  // Jest does not call `stop` when the setup fails.
  await onboard().catch(async (error: unknown) => {
    await stopStack(stack);
    throw error;
  });
}

async function onboard(): Promise<void> {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const folder = mkdtempSync(join(tmpdir(), 'drone-mission-partners-'));
  const wanted = join(folder, 'onboarding.json');
  writeFileSync(wanted, JSON.stringify(onboarding));
  const onboarded = join(folder, 'organisations.json');
  const printed = await runPartnerCommand('onboard', '--file', wanted);
  writeFileSync(onboarded, printed, { mode: 0o600 });
  process.env['ORGANISATIONS_FILE'] = onboarded;
  if (isElsewhere()) nameChannels(printed);
}

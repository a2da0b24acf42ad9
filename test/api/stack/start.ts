import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isElsewhere, nameChannels } from './facts';
import { runPartnerCommand } from './aws-access';
import { namedOrganisations, onboarding } from './organisations';
import { organisationsFile, tellFailed, tellOnboarded } from './readiness';
import { beginStack, endWithThisProcess, untilReady, type RunningStack } from './running-stack';

export interface BegunStack extends RunningStack {
  /** Settles when it is ready with its organisations, or has failed. */
  readonly begun: Promise<void>;
}

/** Passes the stack from `start` to `stop`, and the files of the run from `test/run/sequencer.mjs`, which jest calls first. */
export type GlobalWithStack = typeof globalThis & { runningStack?: BegunStack; filesWithStack?: readonly string[] };

/**
 * Starts a local stack for all tests, unless the environment names another: BASE_URL a remote one, STACK_FILE the
 * `stack.json` of one that runs on this machine already. Onboards the organisations of the run's test files by the
 * command that onboards real ones.
 */
export default async function start(): Promise<void> {
  if (!isElsewhere() && !process.env['STACK_FILE']) return startHere();
  nameOrganisations();
  tellOnboarded(await onboard());
}

/**
 * Begins to start a stack on this machine, whatever the environment names. Test files that need it wait for it in
 * `environment.ts`; the others run meanwhile. SHARED_STACK_DYNAMODB names another DynamoDB for it; stacks of single
 * files have their own.
 * @param words further options of `npm start`
 */
export async function startHere(...words: string[]): Promise<void> {
  const { SHARED_STACK_DYNAMODB } = process.env;
  const database = SHARED_STACK_DYNAMODB ? { DYNAMODB_ENDPOINT: SHARED_STACK_DYNAMODB } : {};
  const stack = await beginStack(['--no-fleet', ...words], database);
  endWithThisProcess(stack, stack.folder, nameOrganisations());
  process.env['STACK_FILE'] = join(stack.folder, 'stack.json');
  const begun = untilReady(stack).then(onboard).then(tellOnboarded).catch(tellFailed);
  (globalThis as GlobalWithStack).runningStack = { ...stack, begun };
}

/** Names the file of the organisations to the tests, before it is there. @returns its folder */
function nameOrganisations(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drone-mission-partners-'));
  process.env['ORGANISATIONS_FILE'] = join(folder, 'organisations.json');
  return folder;
}

/** @returns what `partner onboard` prints */
async function onboard(): Promise<string> {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const wanted = join(dirname(organisationsFile()), 'onboarding.json');
  const { filesWithStack = [] } = globalThis as GlobalWithStack;
  writeFileSync(wanted, JSON.stringify(onboarding(namedOrganisations(filesWithStack))));
  const printed = await runPartnerCommand('onboard', '--file', wanted);
  if (isElsewhere()) nameChannels(printed);
  return printed;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from 'cloud-assembly-runner/free-port';
import { partnersShape } from '../../../bin/start/stack-facts';

const root = join(__dirname, '../../..');

/** Time limits of a stack that hangs, to start, including its first synthesis beside other tests, and to stop, in ms. */
const READY_WITHIN = 240_000;
const STOPPED_WITHIN = 60_000;

export interface RunningStack {
  /** Its data folder, with `stack.json`, `aws.json`, its logs, and `output.log` with everything that it printed. */
  readonly folder: string;
  readonly process: ChildProcess;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

/**
 * Starts the local stack on free ports with an empty data folder of its own, in memory.
 * @param fleet options of `npm start` for the simulated fleet; without one by default, so that only tests change jobs
 * @returns once everything answers
 * @throws Error with its output when it ends before that or takes too long
 */
export async function startStack(fleet?: readonly string[]): Promise<RunningStack> {
  const stack = await beginStack(fleet);
  await untilReady(stack);
  return stack;
}

/** As `startStack`, but returns before the stack answers. @param environment added to that of this process */
export async function beginStack(
  fleet: readonly string[] = ['--no-fleet'],
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningStack> {
  const folder = mkdtempSync(join(tmpdir(), 'drone-mission-api-'));
  const output = openSync(outputOf(folder), 'a');
  const ports = {
    PORT: String(await freePort()),
    IDENTITY_PORT: String(await freePort()),
    WS_PORT: String(await freePort()),
    MQTT_PORT: String(await freePort()),
  };
  // Enough for all functions, which tests call concurrently: one that ended for another takes 80 ms of a processor to
  // start again.
  const words = ['bin/start.ts', '--memory', '--instances', '200', ...fleet];
  const child = spawn(process.execPath, ['--require', 'tsx/cjs', ...words], {
    cwd: root,
    stdio: ['ignore', output, output],
    env: { ...process.env, ...environment, ...ports, LOCAL_DIR: folder },
  });
  closeSync(output);
  return { folder, process: child };
}

/** Waits until everything answers. @throws Error with the output of a stack that ends before that or takes too long */
export async function untilReady({ folder, process: child }: RunningStack): Promise<void> {
  const deadline = Date.now() + READY_WITHIN;
  while (!existsSync(join(folder, 'stack.json'))) {
    if (hasEnded(child) || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`The local stack did not start:\n${readFileSync(outputOf(folder), 'utf8')}`);
    }
    await pause(50);
  }
}

const outputOf = (folder: string) => join(folder, 'output.log');

/**
 * Ends a stack that is still there when this process ends, as after Ctrl-C, and deletes folders.
 * @param folders its own, and what belongs to it
 */
export function endWithThisProcess({ process: child }: RunningStack, ...folders: readonly string[]): void {
  const end = () => {
    child.kill('SIGTERM');
    // It ends later than this process.
    const remove = 'for _ in $(seq 300); do kill -0 "$0" || break; sleep 0.2; done; rm -rf "$@"';
    spawn('sh', ['-c', remove, String(child.pid), ...folders], { detached: true, stdio: 'ignore' }).unref();
  };
  const exit = () => process.exit(1);
  process.on('exit', end).on('SIGINT', exit).on('SIGTERM', exit);
  child.once('exit', () => process.off('exit', end).off('SIGINT', exit).off('SIGTERM', exit));
}

/**
 * Stops it as Ctrl-C would.
 * @throws Error when it does not stop, or not cleanly
 */
export async function stopStack({ process: child }: RunningStack): Promise<void> {
  child.kill('SIGTERM');
  const deadline = Date.now() + STOPPED_WITHIN;
  while (!hasEnded(child)) {
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error('The local stack did not stop');
    }
    await pause(20);
  }
  if (child.exitCode !== 0) throw new Error(`The local stack ended with ${child.exitCode ?? child.signalCode}`);
}

/** Everything that a local stack has printed and logged, from its data folder. */
export function readLogs(folder: string): string {
  const files = readdirSync(folder, { recursive: true }).map(String);
  const logs = files.filter((name) => name.endsWith('.log')).map((name) => join(folder, name));
  return logs.map((file) => readFileSync(file, 'utf8')).join('\n');
}

/** Patterns of tokens and share codes, which must not be in the logs. */
const forms = [/\beyJ[\w-]{10,}\.[\w-]{10,}/g, /\bshare-[0-9a-z]{8}-[0-9a-z]{20,}/g];

/** Credentials in a text: tokens, share codes, secrets and API keys of the tests' partners. */
export function secretsIn(text: string): string[] {
  const file = process.env['ORGANISATIONS_FILE'];
  const { partners } =
    file && existsSync(file) ? partnersShape.parse(JSON.parse(readFileSync(file, 'utf8'))) : { partners: [] };
  const known = partners.flatMap(({ clientSecret, apiKey }) => [clientSecret, apiKey]);
  return [...forms.flatMap((form) => text.match(form) ?? []), ...known.filter((secret) => text.includes(secret))];
}

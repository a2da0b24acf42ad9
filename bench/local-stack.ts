import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../local/free-port';
import type { AwsAccess, StackFacts } from '../local/stack-file';

const READY_WITHIN = 120_000;
const STOPPED_WITHIN = 20_000;

/** As it was at first: measurements set variables for what they load themselves. */
const atFirst = { ...process.env };

/** A local stack that answers, started as a newcomer would. */
export interface LocalStack {
  readonly facts: StackFacts;
  readonly access: AwsAccess;
  /** Where its `stack.json` is. */
  readonly dataFolder: string;
  /** Process of npm: that of the stack is below it. */
  readonly pid: number;
  /** From `npm start` until everything answered, in ms. */
  readonly readyAfter: number;
  /** Stops it as Ctrl-C would. */
  stop(): Promise<void>;
}

/**
 * Runs `npm start` in a copy of the project, or in this one, on free ports.
 * @param root folder of the project
 * @param dataFolder where `stack.json` will be; `.local` of the project is its default there too
 * @param words options of the local stack, such as `--memory`; nobody flies unless one begins with `--fleet`
 * @param environment further variables
 * @throws Error with what it printed when it does not come up
 */
export async function startLocalStack(
  root: string,
  dataFolder = join(root, '.local'),
  words: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<LocalStack> {
  const begin = performance.now();
  const fleet = words.some((word) => word.startsWith('--fleet')) ? [] : ['--no-fleet'];
  const npm = spawn('npm', ['start', '--silent', '--', ...fleet, ...words], {
    cwd: root,
    // Its own process group, so that Ctrl-C can be sent to all of it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...atFirst, ...(await freePorts()), LOCAL_DIR: dataFolder, ...environment },
  });
  let printed = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const deadline = begin + READY_WITHIN;
  while (!existsSync(join(dataFolder, 'stack.json'))) {
    if (hasEnded(npm) || performance.now() > deadline) {
      if (!hasEnded(npm)) signal(npm, 'SIGKILL');
      throw new Error(`The local stack did not start:\n${printed}`);
    }
    await pause(10);
  }
  const readyAfter = performance.now() - begin;
  const read = (name: string): unknown => JSON.parse(readFileSync(join(dataFolder, name), 'utf8'));
  return {
    facts: read('stack.json') as StackFacts,
    access: read('aws.json') as AwsAccess,
    dataFolder,
    pid: npm.pid ?? 0,
    readyAfter,
    stop: () => stop(npm),
  };
}

async function freePorts(): Promise<Record<string, string>> {
  const names = ['PORT', 'IDENTITY_PORT', 'WS_PORT', 'MQTT_PORT'];
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, String(await freePort())] as const)));
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, name);
}

async function stop(npm: ChildProcess): Promise<void> {
  signal(npm, 'SIGINT');
  const deadline = performance.now() + STOPPED_WITHIN;
  while (!hasEnded(npm)) {
    if (performance.now() > deadline) {
      signal(npm, 'SIGKILL');
      throw new Error('The local stack did not stop');
    }
    await pause(20);
  }
}

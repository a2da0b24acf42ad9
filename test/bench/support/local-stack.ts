import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from 'cloud-assembly-runner/free-port';
import type { AwsAccess } from 'cloud-assembly-runner';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import type { StackFacts } from '../../../bin/start/stack-facts';

const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 20_000;

/** The initial environment, for other programs: measurements set variables for code that they load themselves. */
export const initialEnvironment = { ...process.env };

/** They are in process groups of their own, so nothing else would end them with this process. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((npm) => signal(npm, 'SIGINT')));

/** A running local stack. */
export interface LocalStack {
  readonly facts: StackFacts;
  readonly access: AwsAccess;
  /** Folder of its `stack.json`. */
  readonly dataFolder: string;
  /** Process id of npm, the parent of the stack. */
  readonly pid: number;
  /** From `npm start` until it is ready, in ms. */
  readonly readyAfterMs: number;
  /** Stops it with SIGINT. */
  stop(): Promise<void>;
}

/**
 * Runs `npm start` in a copy of the project, or in this one, on free ports.
 * @param root folder of the project
 * @param dataFolder folder of `stack.json`; default: `.local` of the project
 * @param words options of the local stack, such as `--memory`; without a fleet unless one begins with `--fleet`
 * @param environment further variables
 * @throws Error with its output when it does not start
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
    // In its own process group, so that a signal reaches all its processes.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...initialEnvironment, ...(await freePorts()), LOCAL_DIR: dataFolder, ...environment },
  });
  running.add(npm);
  npm.once('exit', () => running.delete(npm));
  let printed = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const deadline = begin + READY_TIMEOUT_MS;
  while (!existsSync(join(dataFolder, 'stack.json'))) {
    if (hasEnded(npm) || performance.now() > deadline) {
      if (!hasEnded(npm)) signal(npm, 'SIGKILL');
      throw new Error(`The local stack did not start:\n${printed}`);
    }
    await pause(10);
  }
  const readyAfterMs = performance.now() - begin;
  const read = (name: string): unknown => JSON.parse(readFileSync(join(dataFolder, name), 'utf8'));
  return {
    facts: read('stack.json') as StackFacts,
    access: read('aws.json') as AwsAccess,
    dataFolder,
    pid: npm.pid ?? 0,
    readyAfterMs,
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
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  while (!hasEnded(npm)) {
    if (performance.now() > deadline) {
      signal(npm, 'SIGKILL');
      throw new Error('The local stack did not stop');
    }
    await pause(20);
  }
}

/** Finds the bus of a running stack. @returns its ARN, and options for SDK clients of the stack */
export async function findBus({ endpointUrl, region, stackName, ...credentials }: AwsAccess) {
  const options = { endpoint: endpointUrl, region, credentials };
  const { Stacks } = await new CloudFormationClient(options).send(new DescribeStacksCommand({ StackName: stackName }));
  const bus = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'PlatformBusArn')?.OutputValue;
  if (bus === undefined) throw new Error('the stack has no bus');
  return { bus, options };
}

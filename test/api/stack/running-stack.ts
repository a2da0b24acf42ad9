import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from 'cloud-assembly-runner/free-port';

const root = join(__dirname, '../../..');

/** Time limits of a stack that hangs, to start, including its first synthesis, and to stop, in ms. */
const READY_WITHIN = 120_000;
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
export async function startStack(fleet: readonly string[] = ['--no-fleet']): Promise<RunningStack> {
  const folder = mkdtempSync(join(tmpdir(), 'drone-mission-api-'));
  const printed = join(folder, 'output.log');
  const output = openSync(printed, 'a');
  const ports = {
    PORT: String(await freePort()),
    IDENTITY_PORT: String(await freePort()),
    WS_PORT: String(await freePort()),
    MQTT_PORT: String(await freePort()),
  };
  // Enough for all functions, which tests call concurrently.
  const words = ['bin/start.ts', '--memory', '--instances', '60', ...fleet];
  const child = spawn(process.execPath, ['--require', 'tsx/cjs', ...words], {
    cwd: root,
    stdio: ['ignore', output, output],
    env: { ...process.env, ...ports, LOCAL_DIR: folder },
  });
  closeSync(output);
  const deadline = Date.now() + READY_WITHIN;
  while (!existsSync(join(folder, 'stack.json'))) {
    if (hasEnded(child) || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`The local stack did not start:\n${readFileSync(printed, 'utf8')}`);
    }
    await pause(50);
  }
  return { folder, process: child };
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

import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export interface ServerOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** All of its environment beside PATH and HOME. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** File that all it prints is written to. */
  readonly logFile: string;
  /** Answers anything at all once it is up. */
  readonly url: string;
  readonly readyWithinMs: number;
}

export interface Server {
  readonly processId: number;
  /** Ends it, by force when it does not end by itself. */
  stop(): Promise<void>;
}

const STOPPED_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 100;
/** Characters of its log that are shown when it does not come up, its last ones. */
const SHOWN = 2000;

/**
 * Starts a server of somebody else's and waits until it answers. Its input is closed when this process ends.
 * @throws Error with what it printed last when it ends before that or takes too long
 */
export async function startServer({ command, args, env, ...options }: ServerOptions): Promise<Server> {
  const { cwd, logFile, url, readyWithinMs } = options;
  const { PATH = '', HOME = '' } = process.env;
  const log = openSync(logFile, 'a');
  const child = spawn(command, args, { cwd, env: { PATH, HOME, ...env }, stdio: ['pipe', log, log] });
  closeSync(log);
  const failure = new Promise<Error>((resolve) => child.once('error', resolve));
  const deadline = Date.now() + readyWithinMs;
  while (!(await answers(url))) {
    if (hasEnded(child) || Date.now() > deadline) {
      child.kill('SIGKILL');
      const cause = child.pid === undefined ? await failure : undefined;
      throw new Error(`${command} did not come up:\n${readFileSync(logFile, 'utf8').slice(-SHOWN)}`, { cause });
    }
    await pause(LOOK_EVERY_MS);
  }
  return { processId: child.pid ?? 0, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  child.kill('SIGTERM');
  const deadline = Date.now() + STOPPED_WITHIN_MS;
  while (!hasEnded(child)) {
    if (Date.now() > deadline) child.kill('SIGKILL');
    await pause(LOOK_EVERY_MS);
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

const answers = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(1000) }).then(
    () => true,
    () => false,
  );

/** Most memory that a process has had at a time, in MB; of itself alone, not of what it started. Linux. */
export function peakMemoryMb(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
}

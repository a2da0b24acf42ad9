import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export interface CommandOptions {
  readonly cwd?: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that are results, not failures. Default: 0 only. */
  readonly exitCodes?: readonly number[];
  /** Default: ten minutes. */
  readonly timeoutMs?: number;
  /** Signal sent after the timeout. Default: SIGTERM. */
  readonly killSignal?: NodeJS.Signals;
}

export interface CommandAnswer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const TEN_MINUTES_MS = 600_000;
/** Maximum characters shown of a failed command's output, from its end. */
const MAX_SHOWN_CHARACTERS = 4000;

/**
 * Runs a command to its end.
 * @throws Error with the end of its output when it can't be started, times out or ends with another exit code
 */
export function runCommand(
  command: string,
  args: readonly string[],
  { cwd, env, exitCodes = [0], timeoutMs = TEN_MINUTES_MS, killSignal = 'SIGTERM' }: CommandOptions = {},
): Promise<CommandAnswer> {
  const child = spawn(command, args, {
    ...(cwd !== undefined && { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    timeout: timeoutMs,
    killSignal,
  });
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout.on('data', (chunk: Buffer) => chunks.stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.stderr.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => {
      const stdout = Buffer.concat(chunks.stdout).toString();
      const stderr = Buffer.concat(chunks.stderr).toString();
      if (exitCode !== null && exitCodes.includes(exitCode)) {
        resolve({ exitCode, stdout, stderr });
      } else {
        const output = `${stdout}\n${stderr}`.trim().slice(-MAX_SHOWN_CHARACTERS);
        reject(new Error(`${command} ${args.join(' ')} ended with ${exitCode ?? signal}:\n${output}`));
      }
    });
  });
}

interface ServerOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Complete environment except PATH and HOME. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** File for its output. */
  readonly logFile: string;
  /** Any answer from it means that the server is ready. */
  readonly url: string;
  readonly readyWithinMs: number;
}

export interface Server {
  readonly processId: number;
  /** Stops it, with SIGKILL if it does not end by itself. */
  stop(): Promise<void>;
}

const STOP_TIMEOUT_MS = 10_000;
const POLL_EVERY_MS = 100;
/** Maximum characters shown of its log when it does not start, from its end. */
const MAX_SHOWN_OF_LOG = 2000;

/**
 * Starts a third-party server and waits until it answers. Its standard input closes when this process ends.
 * @throws Error with the end of its log when it exits or times out before that
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
      throw new Error(`${command} did not come up:\n${readFileSync(logFile, 'utf8').slice(-MAX_SHOWN_OF_LOG)}`, {
        cause,
      });
    }
    await pause(POLL_EVERY_MS);
  }
  return { processId: child.pid ?? 0, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  child.kill('SIGTERM');
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (!hasEnded(child)) {
    if (Date.now() > deadline) child.kill('SIGKILL');
    await pause(POLL_EVERY_MS);
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

const answers = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(1000) }).then(
    () => true,
    () => false,
  );

/** Peak memory of a process, without its child processes, in MB. Linux only. */
export function peakMemoryMb(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
}

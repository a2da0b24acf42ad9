import { spawn } from 'node:child_process';

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

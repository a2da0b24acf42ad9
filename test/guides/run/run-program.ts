import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '../../..');

/** A program that hangs, such as one that waits for a message, ends after that; in ms. */
const TIMEOUT_MS = 120_000;

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in the project's folder until it exits. Its input stays open, as in a terminal. */
export function runProgram(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Run> {
  const child = spawn(command, args, { cwd: root, env, timeout: TIMEOUT_MS });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      child.stdin.destroy();
      resolve({ code, stdout, stderr });
    });
  });
}

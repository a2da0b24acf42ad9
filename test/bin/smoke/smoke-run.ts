import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../../bin/smoke/run';
import { TIMEOUTS, type Timeouts } from '../../../bin/smoke/smoke-context';
import type { Client } from '../../api/client';
import { readFacts } from '../../api/stack/facts';

/** The stack of the tests has no fleet. */
const testTimeouts: Timeouts = { ...TIMEOUTS, fleetMs: 0 };

const folder = mkdtempSync(join(tmpdir(), 'drone-smoke-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;

/** Writes a credentials file as onboarding prints it, with the addresses of the stack under test. */
export function credentialsFile(...clients: readonly Client[]): string {
  const path = join(folder, `partner-${++files}.json`);
  writeFileSync(path, JSON.stringify({ ...readFacts(), partners: clients.map(({ credentials }) => credentials) }));
  return path;
}

/** Output of a run, by line, and its exit code. */
export interface Outcome {
  readonly exitCode: number;
  readonly lines: readonly string[];
  readonly errorOutput: string;
}

/** Runs the command in this process. @param options `timeouts` overrides the defaults, `interrupted` ends it early */
export async function smoke(
  words: readonly string[],
  { interrupted, timeouts = {} }: { interrupted?: AbortSignal | undefined; timeouts?: Partial<Timeouts> } = {},
): Promise<Outcome> {
  let printed = '';
  let errorOutput = '';
  const terminal = { print: (text: string) => (printed += text), printError: (text: string) => (errorOutput += text) };
  const circumstances = { timeouts: { ...testTimeouts, ...timeouts }, ...(interrupted && { interrupted }) };
  const exitCode = await run(words, terminal, circumstances);
  return { exitCode, lines: printed.split('\n'), errorOutput };
}

/** Names of the steps whose line starts with a mark. */
export const stepsThat = (mark: 'ok' | 'FAIL' | 'skip', { lines }: Outcome): string[] =>
  lines
    .filter((line) => line.startsWith(mark))
    .map((line) => line.slice(6).replace(mark === 'ok' ? / \d+ ms.*/ : /: .*/, ''));

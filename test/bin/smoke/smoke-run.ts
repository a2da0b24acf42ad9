import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../../bin/smoke/run';
import { PATIENCE, type Patience } from '../../../bin/smoke/patience';
import type { Client } from '../../api/client';
import { readFacts } from '../../api/stack/facts';

/** Nobody flies in the stack of the tests, and what is held back for good need not be waited for long. */
const patience: Patience = { ...PATIENCE, messageMs: 6_000, fleetMs: 0 };

const folder = mkdtempSync(join(tmpdir(), 'drone-smoke-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;

/** A file of credentials in the form that onboarding prints, with the addresses of the stack under test. */
export function credentialsFile(...clients: readonly Client[]): string {
  const path = join(folder, `partner-${++files}.json`);
  writeFileSync(path, JSON.stringify({ ...readFacts(), partners: clients.map(({ credentials }) => credentials) }));
  return path;
}

/** What a run of the command printed, line by line, and its exit code. */
export interface Outcome {
  readonly exitCode: number;
  readonly lines: readonly string[];
  readonly complaint: string;
}

/** Runs the command in this process; `waits` is for how long it waits, and `interrupted` ends it early. */
export async function smoke(
  words: readonly string[],
  { interrupted, waits = {} }: { interrupted?: AbortSignal | undefined; waits?: Partial<Patience> } = {},
): Promise<Outcome> {
  let printed = '';
  let complaint = '';
  const terminal = { print: (text: string) => (printed += text), complain: (text: string) => (complaint += text) };
  const circumstances = { patience: { ...patience, ...waits }, ...(interrupted && { interrupted }) };
  const exitCode = await run(words, terminal, circumstances);
  return { exitCode, lines: printed.split('\n'), complaint };
}

/** The names of the steps whose line begins with a mark. */
export const stepsThat = (mark: 'ok' | 'FAIL' | 'skip', { lines }: Outcome): string[] =>
  lines
    .filter((line) => line.startsWith(mark))
    .map((line) => line.slice(6).replace(mark === 'ok' ? / \d+ ms.*/ : /: .*/, ''));

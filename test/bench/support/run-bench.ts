import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Measured, Measurement } from './figure';
import { endStorage } from './storage';

/** A line of the table: figure, measured, must be, and `ok` if it is as it must be. */
type Row = readonly [string, string, string, string];

/**
 * Runs all or the named measurements, one after the other, each in a process of its own, and prints their figures. One that
 * fails is a row and does not stop the others. Sets the exit code: 0 when every figure is within its limit, else 1.
 * @param measurements of the program, by name
 * @param words its command line: names
 */
export async function runBench(
  measurements: Readonly<Record<string, Measurement>>,
  words: readonly string[],
): Promise<void> {
  if (isOwnProcess(words)) return measureHere(measurements, words);
  const unknown = words.filter((name) => !Object.hasOwn(measurements, name));
  if (unknown.length > 0) {
    console.error(`No ${unknown.join(', ')}: there are ${Object.keys(measurements).join(', ')}`);
    process.exitCode = 1;
    return;
  }
  const rows = await measureEach(words.length > 0 ? words : Object.keys(measurements));
  print([['figure', 'measured', 'must be', ''], ...rows]);
  if (!rows.every(([, , , mark]) => mark === 'ok')) process.exitCode = 1;
}

/** Until it is interrupted. */
async function measureEach(names: readonly string[]): Promise<Row[]> {
  const stopping = new AbortController();
  // A terminal, npm and a supervisor may each send one: the next must not end this before the table is printed.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
  const rows: Row[] = [];
  for (const name of names) {
    if (stopping.signal.aborted) break;
    console.error(`Measuring ${name}`);
    const measured = measureInOwnProcess(name, stopping.signal);
    rows.push(
      ...(await measured.then((figures) => figures.map(rowOf)).catch((error: unknown) => [failed(name, error)])),
    );
  }
  return rows;
}

const rowOf = ({ figure, measured, mustBe, ok }: Measured): Row => [figure, measured, mustBe, ok ? 'ok' : 'OVER'];

function failed(name: string, error: unknown): Row {
  const reason = error instanceof Error ? error.message : String(error);
  console.error(`${name} failed: ${reason}`);
  return [name, reason.split('\n')[0] ?? '', 'measured', 'FAILED'];
}

function print(lines: readonly Row[]): void {
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

/** First word of the command line of such a process; the second is the name. */
const OPTION = '--own-process';

/** What the process of a measurement sends before it ends. */
type Reply = { readonly measured: readonly Measured[] } | { readonly reason: string };

/** Whether this is the process of one measurement. */
const isOwnProcess = ([option]: readonly string[]): boolean => option === OPTION;

/**
 * Runs a measurement of this program in a process of its own: measurements set environment variables and keep clients of
 * the SDK with their addresses, which others, and the commands that they run, would use.
 * @param interrupted sends it SIGINT
 * @throws Error with the reason when it fails, when its process ends before, or when it is interrupted
 */
async function measureInOwnProcess(name: string, interrupted: AbortSignal): Promise<readonly Measured[]> {
  const child = fork(process.argv[1] ?? '', [OPTION, name], {
    signal: interrupted,
    killSignal: 'SIGINT',
  });
  let reply: Reply | undefined;
  child.once('message', (message: Reply) => (reply = message));
  // The last message may arrive after the end of the process, but before that of the connection.
  const [[code, signal]] = (await Promise.all([once(child, 'exit'), once(child, 'disconnect')])) as [
    [number | null, NodeJS.Signals | null],
    unknown,
  ];
  if (reply === undefined) throw new Error(`its process ended with ${signal ?? code}`);
  if ('reason' in reply) throw new Error(reply.reason);
  return reply.measured;
}

/** Runs the named measurement, sends what it found to the program that started this process, and ends. */
async function measureHere(
  measurements: Readonly<Record<string, Measurement>>,
  [, name = '']: readonly string[],
): Promise<void> {
  // It may receive a signal twice, from the terminal and from the program: the second one must not end it before its stack.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
  // The program is gone, so nobody would get the figures.
  process.once('disconnect', () => process.exit(1));
  const reply = await measure(measurements[name]);
  await endStorage();
  process.send?.(reply, undefined, undefined, () => process.exit());
}

async function measure(measurement: Measurement | undefined): Promise<Reply> {
  try {
    return { measured: (await measurement?.()) ?? [] };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

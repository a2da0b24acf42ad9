import type { Measured, Measurement } from './figure';
import { isOwnProcess, measureHere, measureInOwnProcess } from './own-process';

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

import { coldStart } from './cold-start';
import type { Measured, Measurement } from './figure';

/** All measurements by name, in the order in which they run. */
const measurements: Readonly<Record<string, Measurement>> = {
  'cold-start': coldStart,
};

/** `npm run bench [-- <name>…]`: measures all figures or those named, and fails when one is over. */
async function main(names: readonly string[]): Promise<void> {
  const wanted = names.length > 0 ? names : Object.keys(measurements);
  const results: Measured[] = [];
  for (const name of wanted) {
    const measure = measurements[name];
    if (!measure) throw new Error(`There is no ${name}; there are ${Object.keys(measurements).join(', ')}`);
    console.error(`measuring ${name}`);
    results.push(...(await measure()));
  }
  print(results);
  if (!results.every(({ ok }) => ok)) process.exitCode = 1;
}

function print(results: readonly Measured[]): void {
  const rows = results.map(({ figure, measured, mustBe, ok }) => [figure, measured, mustBe, ok ? 'ok' : 'OVER']);
  const table = [['figure', 'measured', 'must be', ''], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  for (const row of table) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd());
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

import { printable } from './printable';

/** What a command answers: for scripts, and for people. */
export interface Report {
  readonly json: unknown;
  readonly text: string;
}

/** Lines, of cells made printable, of which the first columns are as wide as their widest cell. */
export function columns(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(printable));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

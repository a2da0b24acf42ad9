import { printable } from './printable';

/** A command's result, as JSON and as text. */
export interface Report {
  readonly json: unknown;
  readonly text: string;
}

/** Rows with aligned columns; cells are made printable. */
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

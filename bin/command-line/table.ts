import { printable } from './terminal';

/** A column narrower than this is harder to read than a table that is too wide. */
const MIN_WIDTH = 8;

const GAP = '  ';

interface TableOptions {
  /** Characters in a line of the terminal; without it the table is as wide as its cells. */
  readonly width?: number | undefined;
  /** Indexes of columns whose cells may be wrapped, at spaces where possible, to fit the width; others are never cut. */
  readonly wrapped?: readonly number[];
}

/** Rows with aligned columns, as lines; cells are made printable. */
export function table(cells: readonly (readonly string[])[], { width, wrapped = [] }: TableOptions = {}): string {
  const rows = cells.map((row) => row.map(printable));
  const natural = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const widths = width === undefined ? natural : fit(natural, width, wrapped);
  return rows.map((row) => linesOf(row, widths).join('\n')).join('\n');
}

/** Gives wrapped columns what the others leave of the width: small ones all they need, large ones equal parts. */
function fit(natural: readonly number[], width: number, wrapped: readonly number[]): readonly number[] {
  const widths = [...natural];
  const kept = natural.filter((_, column) => !wrapped.includes(column));
  let left = width - GAP.length * (natural.length - 1) - kept.reduce((sum, each) => sum + each, 0);
  const smallestFirst = [...wrapped].sort((one, other) => (natural[one] ?? 0) - (natural[other] ?? 0));
  for (const [index, column] of smallestFirst.entries()) {
    const share = Math.floor(left / (smallestFirst.length - index));
    const given = Math.min(natural[column] ?? 0, Math.max(share, MIN_WIDTH));
    widths[column] = given;
    left -= given;
  }
  return widths;
}

function linesOf(row: readonly string[], widths: readonly number[]): string[] {
  const cells = row.map((cell, column) => wrap(cell, widths[column] ?? 0));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((parts, column) => (parts[line] ?? '').padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

/** Splits a cell into lines, at spaces where possible; a longer word is split between characters. */
function wrap(cell: string, width: number): string[] {
  if (cell.length <= width) return [cell];
  const lines: string[] = [];
  let line = '';
  for (const word of cell.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (joined.length <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const character of word) {
      if (line.length + character.length > width) {
        lines.push(line);
        line = '';
      }
      line += character;
    }
  }
  return [...lines, line];
}

import { printable } from '../command-line/terminal';
import { table } from '../command-line/table';

/** A heading, facts by name, and lists below them; what is undefined is left out. */
export function description(
  facts: readonly (readonly [name: string, value: string | number | undefined])[],
  ...lists: readonly (readonly [title: string, rows: readonly (readonly string[])[]])[]
): string {
  const rows = facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return [table(rows), ...lists.map(([title, of]) => listed(title, of))].join('\n\n');
}

/** A title, and rows below it. */
export const listed = (title: string, rows: readonly (readonly string[])[]) =>
  rows.length === 0 ? `${title}: none` : `${title}:\n${table(rows).replaceAll(/^/gm, '  ')}`;

/** Counts by client as text: `abc 2, viewers 1`. */
export const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${printable(name)} ${count}`)
    .join(', ') || 'none';

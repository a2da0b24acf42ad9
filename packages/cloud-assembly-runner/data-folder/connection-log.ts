/** Records open connections, so that those open when the stack was killed are reported as closed at the next start. */
import * as z from 'zod';
import { openJournal } from './journal';

export interface ConnectionLog<Facts> {
  /**
   * Connections that were open when the previous process ended. They stay recorded until `closed` is called for them.
   */
  readonly unclosed: readonly Facts[];
  opened(id: string, facts: Facts): void;
  closed(id: string): void;
  /** Closes the file. */
  end(): void;
}

/** The file is compacted above this number of lines, if most of them are about closed connections. */
const COMPACT_ABOVE_LINES = 2000;

/**
 * Records open connections in a file synchronously; without a path, not at all.
 * @throws Error when the file can't be read
 */
export function openConnectionLog<Facts>(path: string | undefined, facts: z.ZodType<Facts>): ConnectionLog<Facts> {
  if (path === undefined)
    return { unclosed: [], opened: () => undefined, closed: () => undefined, end: () => undefined };
  const journal = openJournal({
    path,
    schema: z.object({ id: z.string(), facts: facts.optional() }),
    remedy: 'delete the line, and its connection is not reported as closed',
  });
  const open = new Map<string, Facts>();
  let lines = 0;
  let ended = false;

  const append = (id: string, known?: Facts) => {
    journal.append(known === undefined ? { id } : { id, facts: known });
    lines += 1;
  };

  function compact(): void {
    journal.clear();
    lines = 0;
    for (const [id, known] of open) append(id, known);
  }

  for (const { id, facts: known } of journal.entries) {
    if (known === undefined) open.delete(id);
    else open.set(id, known);
  }
  compact();

  return {
    unclosed: [...open.values()],
    opened(id, known) {
      if (ended) return;
      open.set(id, known);
      append(id, known);
    },
    closed(id) {
      // After `end`, connections stay recorded and are reported as closed at the next start.
      if (ended || !open.delete(id)) return;
      append(id);
      if (lines > COMPACT_ABOVE_LINES + 2 * open.size) compact();
    },
    end: () => {
      ended = true;
      journal.close();
    },
  };
}

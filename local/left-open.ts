/** Which connections were open when the stack was killed, so that they are said to have ended when it runs again. */
import * as z from 'zod';
import { openJournal } from './journal';

export interface LeftOpen<Facts> {
  /** Those that were open when the process before this one ended. They stay noted until they are said to be closed. */
  readonly left: readonly Facts[];
  opened(id: string, facts: Facts): void;
  closed(id: string): void;
  /** Closes the file. */
  end(): void;
}

/** Beyond so many lines the file is written anew, if most of them are about connections that are closed. */
const MANY_LINES = 2000;

/**
 * Keeps note of open connections in a file, each before the call returns; without a path nowhere.
 * @throws Error when the file can't be read
 */
export function openLeftOpen<Facts>(path: string | undefined, facts: z.ZodType<Facts>): LeftOpen<Facts> {
  if (path === undefined) return { left: [], opened: () => undefined, closed: () => undefined, end: () => undefined };
  const journal = openJournal({
    path,
    schema: z.object({ id: z.string(), facts: facts.optional() }),
    remedy: 'delete the line, and places of connections come back within minutes',
  });
  const open = new Map<string, Facts>();
  let lines = 0;
  let ended = false;

  const append = (id: string, known?: Facts) => {
    journal.append(known === undefined ? { id } : { id, facts: known });
    lines += 1;
  };

  function writeAnew(): void {
    journal.clear();
    lines = 0;
    for (const [id, known] of open) append(id, known);
  }

  for (const { id, facts: known } of journal.entries) {
    if (known === undefined) open.delete(id);
    else open.set(id, known);
  }
  writeAnew();

  return {
    left: [...open.values()],
    opened(id, known) {
      if (ended) return;
      open.set(id, known);
      append(id, known);
    },
    closed(id) {
      // Who could not be said to be closed in time is said to be at the next start.
      if (ended || !open.delete(id)) return;
      append(id);
      if (lines > MANY_LINES + 2 * open.size) writeAnew();
    },
    end: () => {
      ended = true;
      journal.close();
    },
  };
}

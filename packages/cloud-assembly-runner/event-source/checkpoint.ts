import type { Position } from './stream-reader';

/** A record of a stream that has been read, or the end of a page. */
export interface Progress {
  readonly position: Position;
  isDone: boolean;
}

/** How far a stream is processed while several batches of it are. */
export interface Checkpoint {
  /** Adds what was read, in the order of the stream. */
  add(read: readonly Progress[]): void;
  /** Call it after something is done: a position is reached when everything before it is done too. */
  advance(): void;
  /** How many records have been read and are not behind the checkpoint. */
  readonly open: number;
}

/** @param reached called with the position up to which everything is done, whenever it moves */
export function createCheckpoint(reached: (position: Position) => void): Checkpoint {
  const open: Progress[] = [];

  return {
    get open() {
      return open.length;
    },
    add: (read) => void open.push(...read),
    advance() {
      const first = open.findIndex(({ isDone }) => !isDone);
      const done = open.splice(0, first < 0 ? open.length : first);
      const last = done.at(-1);
      if (last) reached(last.position);
    },
  };
}

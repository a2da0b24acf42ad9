/** Moves to the start of the line and deletes it (ECMA-48: CR, EL). */
const CLEAR_LINE = '\r\u001b[K';

/** Shows how far a command is. */
export interface Progress {
  /** Prints a line that stays. */
  line(text: string): void;
  /**
   * Says what is being waited for: in the last line of a terminal, which is redrawn; elsewhere on a line of its own, once.
   * @param detail changes while waiting; terminals only
   */
  waitFor(what: string, detail?: string): void;
  /** Removes what is being waited for. */
  end(): void;
}

/** The part of a stream that is needed. */
export interface ProgressStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Progress on a stream: redrawn in a terminal, plain lines elsewhere. */
export function createProgress(stream: ProgressStream): Progress {
  let waiting = '';
  const erase = () => {
    if (stream.isTTY && waiting !== '') stream.write(CLEAR_LINE);
  };
  /** Cut to the width, since a terminal could not erase a line that wraps. */
  const draw = () => stream.isTTY && stream.write(waiting.slice(0, (stream.columns || 80) - 1));
  return {
    line(text) {
      erase();
      stream.write(`${text}\n`);
      draw();
    },
    waitFor(what, detail) {
      if (stream.isTTY) {
        erase();
        waiting = detail === undefined ? `… ${what}` : `… ${what}: ${detail}`;
        draw();
      } else if (waiting !== what) {
        waiting = what;
        stream.write(`… ${what}\n`);
      }
    },
    end() {
      erase();
      waiting = '';
    },
  };
}

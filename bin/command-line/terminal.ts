/** Streams of a command line, and the person at them if there is one. */
export interface Terminal {
  /** Writes to standard output. */
  print(text: string): void;
  /** Writes to standard error. */
  printError(text: string): void;
  /** Characters in a line of standard output; undefined when it is no terminal. */
  readonly columns?: number | undefined;
  /** Characters in a line of standard error; undefined when it is no terminal. */
  readonly errorColumns?: number | undefined;
  /** Asks on standard error. @returns the line typed, empty when it was ended; undefined when nobody can answer */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
}

/** A command's result, as JSON and as text. */
export interface Report {
  readonly json: unknown;
  readonly text: string;
  /** What could not be done, each in one line: the command fails, after its result is printed. */
  readonly failures?: readonly string[];
}

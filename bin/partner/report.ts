/** A command's result, as JSON and as text. */
export interface Report {
  readonly json: unknown;
  readonly text: string;
}

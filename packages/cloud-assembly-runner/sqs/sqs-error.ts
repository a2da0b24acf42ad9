/** Error of a call, or of one batch entry, with SQS's error code. */
export class SqsError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The handler threw, or its process ended; `type` is what Lambda calls `errorType`. */
export class FunctionError extends Error {
  constructor(
    readonly type: string,
    message: string,
  ) {
    super(message);
    this.name = 'FunctionError';
  }
}

/** The function ran into its own timeout; its instance is gone. */
export class TimedOut extends FunctionError {
  constructor(requestId: string, limitMs: number) {
    super(
      'Sandbox.Timedout',
      `RequestId: ${requestId} Error: Task timed out after ${(limitMs / 1000).toFixed(2)} seconds`,
    );
    this.name = 'TimedOut';
  }
}

/** The event is larger than a synchronous invocation may carry. */
export class RequestTooLarge extends Error {
  constructor(bytes: number) {
    super(
      `${bytes} byte payload is too large for the RequestResponse invocation type (limit ${MAX_PAYLOAD_BYTES} bytes)`,
    );
    this.name = 'RequestTooLarge';
  }
}

/** The function has been invoked too often in one chain of requests, and its configuration does not allow that. */
export class RecursiveInvocation extends FunctionError {
  constructor() {
    super(
      'RecursiveInvocationException',
      'Lambda has detected your function being invoked in a recursive loop with other AWS resources and stopped your function’s invocation.',
    );
    this.name = 'RecursiveInvocation';
  }
}

/** As many invocations are under way as the account may have; the function was not reached. */
export class TooManyRequests extends Error {
  constructor() {
    super('TooManyRequestsException: Rate Exceeded.');
    this.name = 'TooManyRequests';
  }
}

/** Event of a synchronous invocation (Lambda quotas: 6 MB). */
export const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;

/** Result of one: the number in Lambda's own refusal, which leaves 100 bytes beyond 6 MB. */
export const MAX_RESULT_BYTES = 6_291_556;

/** The handler threw, or its process ended; `type` is Lambda's `errorType`. */
export class FunctionError extends Error {
  constructor(
    readonly type: string,
    message: string,
  ) {
    super(message);
    this.name = 'FunctionError';
  }
}

/** The function exceeded its timeout; its instance was terminated. */
export class FunctionTimedOut extends FunctionError {
  constructor(requestId: string, limitMs: number) {
    super(
      'Sandbox.Timedout',
      `RequestId: ${requestId} Error: Task timed out after ${(limitMs / 1000).toFixed(2)} seconds`,
    );
    this.name = 'FunctionTimedOut';
  }
}

/** The event exceeds the payload limit of a synchronous invocation. */
export class RequestTooLarge extends Error {
  constructor(bytes: number) {
    super(
      `${bytes} byte payload is too large for the RequestResponse invocation type (limit ${MAX_PAYLOAD_BYTES} bytes)`,
    );
    this.name = 'RequestTooLarge';
  }
}

/** Recursive loop detection stopped the invocation, as the function's RecursiveLoop is not `Allow`. */
export class RecursiveInvocation extends FunctionError {
  constructor() {
    super(
      'RecursiveInvocationException',
      'Lambda has detected your function being invoked in a recursive loop with other AWS resources and stopped your function’s invocation.',
    );
    this.name = 'RecursiveInvocation';
  }
}

/** Throttled by the account's concurrency quota; the function was not invoked. */
export class TooManyRequests extends Error {
  constructor() {
    super('TooManyRequestsException: Rate Exceeded.');
    this.name = 'TooManyRequests';
  }
}

/** Maximum event of a synchronous invocation (Lambda quotas: 6 MB). */
export const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;

/** Maximum result: the number in Lambda's own error message, 100 bytes more than 6 MB. */
export const MAX_RESULT_BYTES = 6_291_556;

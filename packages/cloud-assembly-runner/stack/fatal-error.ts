import { EventEmitter } from 'node:events';

/** An error that stops the whole stack. Its message is one line with the cause and the remedy. */
export class FatalError extends Error {
  override readonly name = 'FatalError';
}

const fatalErrors = new EventEmitter();

/**
 * Notifies the listeners in this process that the stack can't continue. Throwing is not enough: errors in timers and event
 * handlers reach no caller, and an endpoint would answer 500 to every request.
 * @returns the error, to be thrown so that the failed operation is not acknowledged
 */
export function failStack(message: string, cause?: unknown): FatalError {
  const error = new FatalError(message, { cause });
  fatalErrors.emit('fatal', error);
  return error;
}

export function onFatalError(listener: (error: FatalError) => void): void {
  fatalErrors.on('fatal', listener);
}

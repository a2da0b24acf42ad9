import { EventEmitter } from 'node:events';

/** Why the whole stack can't go on: its message is one line that says what is wrong and what to do about it. */
export class Breakdown extends Error {
  override readonly name = 'Breakdown';
}

const breakdowns = new EventEmitter();

/**
 * Tells who runs the stack, in this process, that it can't go on. Deep in a service nobody could hand the error up: it
 * happens in timers and event handlers, and an endpoint would make a 500 of it, again and again.
 * @returns the error, to be thrown, so that what could not be done is not acknowledged
 */
export function breakDown(message: string, cause?: unknown): Breakdown {
  const error = new Breakdown(message, { cause });
  breakdowns.emit('breakdown', error);
  return error;
}

/** Calls the listener with every breakdown from now on. */
export function onBreakdown(listener: (error: Breakdown) => void): void {
  breakdowns.on('breakdown', listener);
}

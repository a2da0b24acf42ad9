import * as z from 'zod';
import type { Charges } from '../billing/meter';

/** Error of a call, with EventBridge's error code. */
export class EventsError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** What a call needs to be allowed to do; `context` has the values of condition keys. */
export interface Permission {
  readonly action: string;
  readonly resource: string;
  readonly context?: Readonly<Record<string, readonly string[]>>;
}

/** An operation of EventBridge's API. */
export interface EventsOperation {
  /** @param input body of the request; undefined when it is not JSON */
  permissions(input: unknown): readonly Permission[];
  /** @throws EventsError */
  run(input: unknown): { readonly answer: object; readonly charges?: Charges };
}

/** Parses the body of a request. @throws EventsError `ValidationException` that names what is wrong */
export function read<T>(shape: z.ZodType<T>, input: unknown): T {
  const { success, data, error } = shape.safeParse(input);
  if (!success) throw new EventsError('ValidationException', z.prettifyError(error));
  return data;
}

import * as z from 'zod/mini';

/** Longest `id` that a client puts on a message, in characters. */
const MAX_LENGTH = 128;

const isId = (value: unknown) =>
  typeof value === 'string' ? value.length <= MAX_LENGTH : typeof value === 'number' && Number.isFinite(value);

/** What a client may put on any message as `id`: it comes back on the answer as it was sent. */
export const messageId = z.optional(
  z.custom<string | number>(isId, { error: `must be a number, or a string of at most ${MAX_LENGTH} characters` }),
);

import * as z from 'zod/mini';

/** Maximum length of a message's `id`, in characters. */
const MAX_LENGTH = 128;

const isId = (value: unknown) =>
  typeof value === 'string'
    ? value.length <= MAX_LENGTH && value.isWellFormed()
    : typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;

/** The optional `id` of a client's message; the reply repeats it unchanged. */
export const messageId = z.optional(
  z.custom<string | number>(isId, {
    error: `must be a number, or a string of at most ${MAX_LENGTH} characters`,
  }),
);

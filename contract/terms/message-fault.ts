import * as z from 'zod/mini';

// Apart from the table of messages, which few functions need.

/** What is wrong with one part of a message. */
export const messageFault = z.object({ path: z.string(), message: z.string() });

/** What is wrong with a sample of a list, by its place in it. */
export const refusedSample = z.extend(messageFault, { index: z.int() });

/** What a publisher should know of samples that are accepted. */
export const publishWarning = z.object({ code: z.string(), deviceId: z.string(), seconds: z.number() });

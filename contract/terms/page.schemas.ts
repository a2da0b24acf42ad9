import * as z from 'zod/mini';

const MAX_PAGE = 100;

/** Size of a page: a query parameter is text. */
export const limit = z._default(
  z.pipe(
    z.string().check(z.regex(/^0*[1-9]\d{0,8}$/, { error: 'must be an integer of 1 or more' })),
    z.transform((value) => Math.min(Number(value), MAX_PAGE)),
  ),
  50,
);

export const page = { limit, nextToken: z.optional(z.string().check(z.minLength(1), z.maxLength(1024))) };

export const pageQuery = z.strictObject(page);

export const success = z.literal(true);

export const nextToken = z.optional(z.string());

/** Where to follow the status of a resource (`contract/terms/links.ts`). */
export const links = z.object({ mqttTopic: z.string(), webSocketPath: z.string() });

export const messageReply = z.object({ success, message: z.string() });

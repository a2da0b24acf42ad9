import * as z from 'zod/mini';
import { text } from '../../domain/text';

/** Cognito's own are shorter; what is longer is nobody's. */
const credential = text(0, 256);

/** `client_id` and `client_secret` may come by HTTP Basic instead, so only the handler can ask for them. */
export const tokenRequest = z.object({
  grant_type: z.string(),
  client_id: z.optional(credential),
  client_secret: z.optional(credential),
});

export const tokenReply = z.object({ access_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.int() });

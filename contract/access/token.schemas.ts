import * as z from 'zod/mini';
import { text } from '../../domain/values/text';

/** Longer than any id or secret that Cognito issues. */
const credential = text(0, 256);

/** `client_id` and `client_secret` are optional here, since HTTP Basic may carry them; the handler requires one of both. */
export const tokenRequest = z.object({
  grant_type: z.string(),
  client_id: z.optional(credential),
  client_secret: z.optional(credential),
});

export const token = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  scope: z.string(),
});

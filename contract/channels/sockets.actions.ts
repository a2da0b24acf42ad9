import * as z from 'zod/mini';
import { text } from '../../domain/values/text';
import { messageId as id } from '../terms/message-id';
import type { WebSocketAction } from '../terms/websocket-action';

// Actions about the socket itself.

/** Maximum length of a token, in characters: the REST API accepts headers of 10,240 bytes in all, so none is longer. */
const MAX_TOKEN = 8192;

export const ping = {
  needs: 'anyone',
  message: z.object({ action: z.string(), id }),
  reply: z.object({
    type: z.literal('pong'),
    /** The service's time; ISO 8601 in UTC. */
    timestamp: z.string(),
  }),
  refusals: ['unknown_action'],
  handler: 'channels/answer-message',
  tables: {},
} as const satisfies WebSocketAction;

export const authenticate = {
  needs: 'partner',
  message: z.strictObject({ action: z.string(), id, token: text(1, MAX_TOKEN) }),
  reply: z.object({
    type: z.literal('authenticated'),
    /** When the socket will be closed; ISO 8601 in UTC. */
    expiresAt: z.string(),
    /** The token lacks `resources:read`. */
    subscriptionsEnded: z.optional(z.literal(true)),
  }),
  refusals: ['unauthorized', 'unknown_action'],
  handler: 'channels/authenticate',
  tables: { connections: ['query', 'update', 'delete'], partners: ['get'] },
  bindings: ['tokens', 'sockets'],
} as const satisfies WebSocketAction;

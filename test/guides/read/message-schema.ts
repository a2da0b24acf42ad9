import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { statusMessages } from '../../../contract/channels/status-messages';
import { socketMessages } from '../../../contract/channels/socket-messages';
import { webSocketActions, type WebSocketActionName } from '../../../contract/websocket-actions';

const received: readonly z.ZodMiniType[] = [
  ...Object.values(statusMessages),
  ...Object.values(socketMessages).map(({ message }) => message),
  ...Object.values(webSocketActions).map(({ reply }) => reply),
];

const withId = z.looseObject({
  id: z.optional(z.union([z.string(), z.number()])),
  type: z.optional(z.string()),
  action: z.optional(z.string()),
});

/** Whether the schema accepts the value and knows all of its fields. */
function fits(schema: z.ZodMiniType, value: object): boolean {
  const parsed = schema.safeParse(value);
  // A publish with one sample becomes a list of one.
  return parsed.success && (isDeepStrictEqual(parsed.data, value) || 'action' in value);
}

/** Whether the contract has such a message, from the service or from a client, with exactly these fields. */
export function isMessage(value: unknown): boolean {
  const { id, ...message } = withId.parse(value);
  if (message.action !== undefined) {
    const action = message.action in webSocketActions ? (message.action as WebSocketActionName) : undefined;
    return (
      action !== undefined && fits(webSocketActions[action].message, { ...message, ...(id !== undefined && { id }) })
    );
  }
  return received.some((schema) => fits(schema, message));
}

import { describeEndpoint } from '../../terms/endpoint';
import { replyName, type Messaging } from './message-components';

/** `components.messages` that a channel has, by name. */
export const messageReferences = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));

/** Messages of a channel that an operation handles. */
const ofChannel = (channel: string, names: readonly string[]) =>
  names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }));

/** The partner's application receives messages of a channel. */
export const receive = (channel: string, names: readonly string[], more: object) => ({
  action: 'receive',
  channel: { $ref: `#/channels/${channel}` },
  ...more,
  messages: ofChannel(channel, names),
});

/** The partner's application sends a message, and gets an answer on the same channel. */
export const request = (channel: string, name: string, row: Messaging['actions'][string], more: object) => ({
  action: 'send',
  channel: { $ref: `#/channels/${channel}` },
  summary: row.summary,
  description: describeEndpoint(row),
  ...more,
  messages: ofChannel(channel, [name]),
  reply: { channel: { $ref: `#/channels/${channel}` }, messages: ofChannel(channel, [replyName(row), 'error']) },
});

const token = {
  type: 'string',
  description: 'Access token, for clients that can’t set the header `Authorization`.',
};
const after = {
  type: 'string',
  description:
    'The `cursor` of the last message before the connection was lost: what was missed comes first. Without it, the current state.',
};

/** Bindings of a WebSocket that partners open with a token. @param query its parameters */
const handshakeWith = (query: object) => ({
  ws: {
    method: 'GET',
    query: { type: 'object', description: 'Query parameters of the handshake.', properties: query },
    headers: {
      type: 'object',
      description: 'Headers of the handshake.',
      properties: { Authorization: { type: 'string', description: '`Bearer` and the access token.' } },
    },
    bindingVersion: '0.1.0',
  },
});
export const partnerHandshake = handshakeWith({ token });
export const resumableHandshake = handshakeWith({ token, after });

/** The messages of an action and its answers. */
export const exchanged = (actions: Messaging['actions']): string[] => [
  ...new Set(Object.entries(actions).flatMap(([name, row]) => [name, replyName(row)])),
];

/** The actions that a kind of socket has. */
export const actionsWhere = (
  { actions }: Messaging,
  has: (row: Messaging['actions'][string]) => boolean,
): Messaging['actions'] => Object.fromEntries(Object.entries(actions).filter(([, row]) => has(row)));

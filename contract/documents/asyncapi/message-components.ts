import type * as z from 'zod/mini';
import type { Contract } from '../../contract';
import { describeEndpoint, type Endpoint } from '../../terms/endpoint';
import { carriedTexts } from '../../messaging-texts';
import { socketMessages } from '../../channels/socket-messages';
import { statusMessages } from '../../channels/status-messages';
import { messageExamples } from '../examples/status-message-examples';
import type { JsonSchema } from '../json-schema';
import { errorCodeList, findErrorCodes } from './error-codes';
import { messageSchemas, schemaReference, withAction, withCodes, withId } from './message-schemas';

/** The parts of the contract that the document describes. */
export type Messaging = Pick<Contract, 'channels' | 'actions'>;

/** What the document says of one message. */
interface Message {
  readonly summary: string;
  readonly description?: string;
  readonly schema: z.ZodMiniType;
  /** The action of a message that clients send; the service sends all others. */
  readonly action?: string;
  /** An answer, which repeats the `id` of the message. */
  readonly isReply?: boolean;
  /** The codes of an error. */
  readonly codes?: readonly string[];
}

/** Name of the empty message that clears a retained one. */
export const CLEARED = 'cleared';

/** Name in the document: `jobStatus` for the type `job.status`. */
export const messageName = (type: string) => type.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Name of the message that answers an action, from the `type` in its schema. */
export function replyName({ reply }: Contract['actions'][string]): string {
  const { shape } = reply as z.ZodMiniObject<{ type: z.ZodMiniLiteral<string> }>;
  return messageName(shape.type.def.values[0] ?? '');
}

/** Every message in JSON, by name. @throws Error when two have the same */
function messagesOf({ channels, actions }: Messaging): Record<string, Message> {
  const codes = findErrorCodes(Object.values(actions));
  const statuses = Object.values(channels).map(({ messageType, ...texts }) => [
    messageName(messageType),
    { ...textsOf(texts), schema: statusMessages[messageType] },
  ]);
  const carried = Object.values(channels)
    .flatMap(({ alsoCarries = [] }) => alsoCarries)
    .map((type) => [messageName(type), { ...carriedTexts[type], schema: statusMessages[type] }]);
  const replies = Object.entries(actions).map(([name, row]) => [
    replyName(row),
    { summary: `Answer to \`${name}\``, schema: row.reply, isReply: true },
  ]);
  const requests = Object.entries(actions).map(([action, { message, ...texts }]) => [
    action,
    { ...textsOf(texts), schema: message, action },
  ]);
  const others = Object.entries(socketMessages).map(([name, { message, ...texts }]) => [
    name,
    { ...textsOf(texts), schema: message, ...(name === 'error' && { isReply: true, codes }) },
  ]);
  // Two channels may have one message.
  const ofChannels = Object.entries(Object.fromEntries([...statuses, ...carried]) as Record<string, Message>);
  const all = [ofChannels, replies, requests, others].flat() as [string, Message][];
  expectUnique(all.map(([name]) => name));
  return Object.fromEntries(all);
}

function expectUnique(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`two messages of the document have the name ${twice}`);
}

const textsOf = ({ summary, ...row }: Pick<Endpoint, 'summary' | 'description'>) => ({
  summary,
  description: describeEndpoint(row),
});

const schemaName = (message: string) => `${message.charAt(0).toUpperCase()}${message.slice(1)}Message`;

function completed(schema: JsonSchema, { action, isReply, codes }: Message): JsonSchema {
  if (action !== undefined) return withAction(schema, action);
  const reply = isReply ? withId(schema) : schema;
  return codes ? withCodes(reply, codes) : reply;
}

/** `components.messages` and `components.schemas` of the document. */
export function messageComponents(messaging: Messaging): {
  readonly messages: Readonly<Record<string, object>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
} {
  const entries = Object.entries(messagesOf(messaging));
  const named = (isSent: boolean) =>
    Object.fromEntries(
      entries
        .filter(([, { action }]) => (action === undefined) === isSent)
        .map(([name, { schema }]) => [schemaName(name), schema]),
    );
  const schemas = messageSchemas(named(true), named(false));
  for (const [name, message] of entries)
    schemas[schemaName(name)] = completed(schemas[schemaName(name)] ?? {}, message);
  const messages = entries.map(([name, { summary, description, action, isReply = false, codes = [] }]) => [
    name,
    {
      name,
      title: name,
      summary,
      ...(description !== undefined && { description: [description, ...errorCodeList(codes)].join('\n') }),
      contentType: 'application/json',
      ...((action !== undefined || isReply) && { correlationId: { $ref: '#/components/correlationIds/messageId' } }),
      payload: { $ref: schemaReference(schemaName(name)) },
      examples: messageExamples[name],
    },
  ]);
  return { messages: { ...(Object.fromEntries(messages) as Record<string, object>), [CLEARED]: cleared }, schemas };
}

const cleared = {
  name: CLEARED,
  title: CLEARED,
  summary: 'Nothing is retained any more',
  description:
    'An empty payload, not JSON: ignore it. It makes the broker forget the retained message, so that later subscribers receive nothing. It follows the final message of a job or a share; on the topic of a group it can follow the removal of its last device.',
  contentType: 'application/octet-stream',
  payload: { type: 'string', maxLength: 0, description: 'No bytes.' },
  examples: messageExamples[CLEARED],
};

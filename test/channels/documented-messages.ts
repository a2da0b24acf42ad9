import { asyncApiDocument } from '../../contract/documents/asyncapi/asyncapi-document';
import { exampleIds } from '../../contract/documents/examples/message-example';
import { channelMessages, messagesOf, messageValidators } from '../contract/documents/message-validators';
import { sampleOf } from './telemetry-socket';

const document = asyncApiDocument();
const validators = messageValidators(document);

/** Messages by channel, as docs/api/asyncapi.json has them. */
export const documented = channelMessages(document);

const pairs = (channels: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(channels).flatMap(([channel, names]) => names.map((name) => `${channel} ${name}`));

const seen = new Set<string>();

/**
 * Notes that a message was sent or received on a channel. Fails unless exactly one documented message of the channel is like
 * it (AsyncAPI 3.0.0, "Operation Object").
 * @returns its name in the document
 */
export function note(channel: string, text: string): string {
  const payload: unknown = text === '' ? '' : JSON.parse(text);
  const names = documented[channel] ?? [];
  const like = names.filter((name) => validators[name]?.(payload).length === 0);
  expect([channel, text, like]).toEqual([channel, text, [expect.any(String)]]);
  const [name = ''] = like;
  seen.add(`${channel} ${name}`);
  return name;
}

/** Documented messages that were neither sent nor received so far. */
export const unseen = (): string[] => pairs(documented).filter((pair) => !seen.has(pair));

/** The codes of documented errors. */
export const errorCodes = (document.components.schemas['ErrorMessage']?.properties?.['code'] as { enum: string[] })
  .enum;

interface Request {
  readonly name: string;
  readonly channel: string;
  readonly message: string;
  readonly payload: object;
  /** Names of the messages that answer it, without `error`. */
  readonly replies: readonly string[];
}

interface Operation {
  readonly action: string;
  readonly messages: readonly { readonly $ref: string }[];
  readonly reply?: { readonly messages: readonly { readonly $ref: string }[] };
}

/** Every example of a message that clients send, with the channel that it is sent on. */
export const requests: readonly Request[] = Object.values(document.operations as Readonly<Record<string, Operation>>)
  .filter(({ action }) => action === 'send')
  .flatMap(({ messages, reply }) =>
    messages.flatMap(({ $ref }) => {
      const [, , channel = '', , message = ''] = $ref.split('/');
      const replies = (reply?.messages ?? []).map((other) => other.$ref.split('/').at(-1) ?? '');
      return (messagesOf(document)[message]?.examples ?? []).map(({ name, payload }) => ({
        channel,
        message,
        name: `${message}, ${name},`,
        payload: payload as object,
        replies: replies.filter((each) => each !== 'error'),
      }));
    }),
  );

/** An example with identifiers of the test's organisation, and with samples of now. */
export function withOwnIds<Payload>(payload: Payload, own: Readonly<Partial<typeof exampleIds>>): Payload {
  const entries = Object.entries(exampleIds) as [keyof typeof exampleIds, string][];
  const replaced = entries.reduce(
    (text, [field, id]) => text.replaceAll(id, own[field] ?? id),
    JSON.stringify(payload),
  );
  return JSON.parse(replaced, (key, value: unknown) =>
    key === 'timestamp' ? sampleOf('').timestamp : value,
  ) as Payload;
}

import { join } from 'node:path';
import * as z from 'zod';
import { openJournal } from '../journal';

/** The message that new subscribers of its topic get first. */
export interface RetainedMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1;
  /** Milliseconds since 1970. */
  readonly lastModifiedTime: number;
  /** When it is discarded, milliseconds since 1970; without, never (MQTT 5, section 3.3.2.3.3). */
  readonly expiresAt?: number | undefined;
}

/** AWS IoT Core developer guide, "Using MQTT retained messages". */
export interface RetainedMessages {
  get(topic: string): RetainedMessage | undefined;
  readonly count: number;
  /** In the order of their topics. */
  list(): readonly RetainedMessage[];
  /** Replaces the message of the topic; one without payload removes it. @throws Error when it could not be kept */
  put(message: Omit<RetainedMessage, 'lastModifiedTime'>): void;
  /** Has the message of a topic discarded after so many seconds, if it still has this payload. */
  expire(topic: string, payload: Buffer, seconds: number): void;
  close(): void;
}

/** A line of the file; the last one of a topic holds, and an empty payload says that there is none. */
const line = z.object({
  topic: z.string(),
  payload: z.base64().transform((text) => Buffer.from(text, 'base64')),
  qos: z.union([z.literal(0), z.literal(1)]),
  lastModifiedTime: z.number(),
  expiresAt: z.number().optional(),
});

/** Opens the retained messages of a folder; without one they end with the process. */
export function openRetainedMessages(dataFolder?: string): RetainedMessages {
  const messages = new Map<string, RetainedMessage>();
  const keep = (message: RetainedMessage) => {
    if (message.payload.length === 0) messages.delete(message.topic);
    else messages.set(message.topic, message);
  };
  const standing = (message: RetainedMessage | undefined) => {
    if (message?.expiresAt === undefined || message.expiresAt > Date.now()) return message;
    messages.delete(message.topic);
    return undefined;
  };
  const save = (message: RetainedMessage) => {
    journal?.append(message);
    keep(message);
  };
  let journal = dataFolder === undefined ? undefined : openMessages(join(dataFolder, 'retained-messages.jsonl'));
  journal?.entries.forEach(keep);
  return {
    get: (topic) => standing(messages.get(topic)),
    get count() {
      return [...messages.values()].filter((message) => standing(message) !== undefined).length;
    },
    list: () =>
      [...messages.values()]
        .filter((message) => standing(message) !== undefined)
        .sort((one, other) => (one.topic < other.topic ? -1 : 1)),
    put: (message) => save({ ...message, lastModifiedTime: Date.now() }),
    expire(topic, payload, seconds) {
      const message = messages.get(topic);
      if (message?.payload.equals(payload)) save({ ...message, expiresAt: Date.now() + seconds * 1000 });
    },
    close() {
      journal?.close();
      journal = undefined;
    },
  };
}

/** Opens the file, without the messages that were replaced or removed since. */
function openMessages(path: string) {
  return openJournal<RetainedMessage>({
    path,
    schema: line,
    toJson: (message) => ({ ...message, payload: message.payload.toString('base64') }),
    remedy: 'delete the line, and its message is retained no more',
    compact(entries) {
      const last = new Map(entries.map((message) => [message.topic, message]));
      return [...last.values()].filter(({ payload }) => payload.length > 0);
    },
  });
}

import { join } from 'node:path';
import * as z from 'zod';
import type { Client } from 'aedes';
import { openJournal } from '../../data-folder/journal';

/** The message that new subscribers of its topic receive first. */
export interface RetainedMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1;
  /** In Unix ms. */
  readonly lastModifiedTime: number;
  /** Expiry in Unix ms; default: never (MQTT 5, section 3.3.2.3.3). */
  readonly expiresAt?: number | undefined;
}

/** AWS IoT Core developer guide, "Using MQTT retained messages". */
export interface RetainedMessages {
  get(topic: string): RetainedMessage | undefined;
  readonly count: number;
  /** Sorted by topic. */
  list(): readonly RetainedMessage[];
  /** Replaces the message of the topic; an empty payload removes it. @throws Error when it could not be stored */
  put(message: Omit<RetainedMessage, 'lastModifiedTime'>): void;
  /** Sets the expiry of a topic's message in seconds from now, if it still has this payload. */
  expire(topic: string, payload: Buffer, seconds: number): void;
  close(): void;
}

/** A line of the file; the last line of a topic is valid, and an empty payload removes its message. */
const line = z.object({
  topic: z.string(),
  payload: z.base64().transform((text) => Buffer.from(text, 'base64')),
  qos: z.union([z.literal(0), z.literal(1)]),
  lastModifiedTime: z.number(),
  expiresAt: z.number().optional(),
});

/** Opens the retained messages in a data folder; without a folder they are lost with the process. */
export function openRetainedMessages(dataFolder?: string): RetainedMessages {
  const messages = new Map<string, RetainedMessage>();
  const apply = (message: RetainedMessage) => {
    if (message.payload.length === 0) messages.delete(message.topic);
    else messages.set(message.topic, message);
  };
  const unlessExpired = (message: RetainedMessage | undefined) => {
    if (message?.expiresAt === undefined || message.expiresAt > Date.now()) return message;
    messages.delete(message.topic);
    return undefined;
  };
  const save = (message: RetainedMessage) => {
    journal?.append(message);
    apply(message);
  };
  let journal = dataFolder === undefined ? undefined : openMessages(join(dataFolder, 'retained-messages.jsonl'));
  journal?.entries.forEach(apply);
  return {
    get: (topic) => unlessExpired(messages.get(topic)),
    get count() {
      return [...messages.values()].filter((message) => unlessExpired(message) !== undefined).length;
    },
    list: () =>
      [...messages.values()]
        .filter((message) => unlessExpired(message) !== undefined)
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

/** Opens the journal and drops lines of replaced and removed messages. */
function openMessages(path: string) {
  return openJournal<RetainedMessage>({
    path,
    schema: line,
    toJson: (message) => ({ ...message, payload: message.payload.toString('base64') }),
    remedy: 'delete the line, which deletes its retained message',
    compact(entries) {
      const last = new Map(entries.map((message) => [message.topic, message]));
      return [...last.values()].filter(({ payload }) => payload.length > 0);
    },
  });
}

/** Not in aedes' types. `publish` would number the message, and aedes would then drop older ones that follow. */
interface Deliverer {
  deliverQoS(packet: object, done: () => void): void;
}

/** Sends a retained message to a client ahead of the messages that aedes has queued, in aedes' own form. */
export function deliver(client: Client, { topic, payload, qos }: RetainedMessage): void {
  const packet = { cmd: 'publish', topic, payload, qos, retain: true, dup: false, brokerId: null };
  (client as unknown as Deliverer).deliverQoS(packet, () => undefined);
}

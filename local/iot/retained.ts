import { closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

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
  /** Replaces the message of the topic; one without payload removes it. */
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
    keep(message);
    if (file !== undefined) writeSync(file, toLine(message));
  };
  let file: number | undefined;
  if (dataFolder !== undefined) {
    const path = join(dataFolder, 'retained-messages.jsonl');
    readLines(path).forEach(keep);
    rewrite(path, [...messages.values()]);
    file = openSync(path, 'a', 0o600);
  }
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
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/** A last line that a crash cut off is dropped. */
function readLines(path: string): RetainedMessage[] {
  if (!existsSync(path)) return [];
  const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return whole.map((text) => line.parse(JSON.parse(text)));
}

/** Leaves out what was replaced since; renaming is atomic, so a crash in between leaves the old file whole. */
function rewrite(path: string, messages: readonly RetainedMessage[]): void {
  writeFileSync(`${path}.new`, messages.map(toLine).join(''), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function toLine(message: RetainedMessage): string {
  return `${JSON.stringify({ ...message, payload: message.payload.toString('base64') })}\n`;
}

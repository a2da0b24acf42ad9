/** One standard queue: SQS developer guide, "Visibility timeout", "Delay queues", "Using dead-letter queues". */
import { randomUUID } from 'node:crypto';
import { steadyNow } from '../steady-clock';
import type { JournalEntry } from './kept-messages';
import type { Message, MessageAttributes, ReceivedMessage } from './message';

export interface QueueSettings {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  /** Seconds, all three. */
  readonly visibilityTimeout: number;
  readonly delay: number;
  readonly retention: number;
  readonly maxBytes: number;
  /** After how many receipts without a deletion a message is given up, and to whom. */
  readonly redrive?: { readonly maxReceiveCount: number; readonly to: Queue };
  /** Keeps what happens to messages before anybody is told of it; when it throws, it has not happened. */
  note(entry: JournalEntry): void;
}

export interface Queue extends Omit<QueueSettings, 'note'> {
  /** Adds a message, to be received after a delay in seconds, with the tracing header of its sender. */
  send(body: string, attributes?: MessageAttributes, delay?: number, traceHeader?: string): Message;
  /** Gives at most so many messages that nobody else works on, and hides them for so many seconds. */
  receive(limit: number, visibilityTimeout?: number): readonly ReceivedMessage[];
  /** Deletes a received message; gives whether the receipt is the last one of a message. */
  remove(receiptHandle: string): boolean;
  /** Hides a received message for so many seconds from now; gives whether it is still worked on. */
  hide(receiptHandle: string, seconds: number): boolean;
  purge(): void;
  /** Resolves when there may be something to receive, when the time is up, or when the signal aborts. */
  arrival(ms: number, signal?: AbortSignal): Promise<void>;
  /** Takes a message that another queue has given up. */
  takeOver(message: Message): void;
  /** All messages, oldest first. */
  readonly messages: readonly Message[];
  /** The same, with those that are too old or were received too often, and are about to leave. */
  readonly kept: readonly Message[];
}

export function createQueue(settings: QueueSettings): Queue {
  const { arn, name, delay: ownDelay, retention, redrive, note } = settings;
  const waiting = new Set<() => void>();
  let messages: Message[] = [];

  function add(message: Message): Message {
    note({ did: 'add', queue: name, message });
    messages.push(message);
    for (const wake of [...waiting]) wake();
    return message;
  }

  /** Drops what is too old, and hands over what was received too often. */
  function tidy(): void {
    const now = steadyNow();
    const isOver = ({ sentAt }: Message) => sentAt + retention * 1000 <= Date.now();
    const isGivenUp = ({ receiveCount, hiddenUntil }: Message) =>
      redrive !== undefined && receiveCount >= redrive.maxReceiveCount && hiddenUntil <= now;
    const leaving = messages.filter((one) => isOver(one) || isGivenUp(one));
    if (leaving.length === 0) return;
    for (const one of leaving) {
      // A crash in between leaves it in both queues rather than in none.
      if (!isOver(one)) redrive?.to.takeOver({ ...one, givenUpBy: arn });
      note({ did: 'remove', queue: name, id: one.id });
    }
    messages = messages.filter((one) => !leaving.includes(one));
  }

  function worked(receiptHandle: string): Message | undefined {
    return messages.find((one) => one.receiptHandle === receiptHandle && one.hiddenUntil > steadyNow());
  }

  return {
    ...settings,
    get messages() {
      tidy();
      return messages;
    },

    get kept() {
      return messages;
    },

    send(body, attributes = {}, delay = ownDelay, traceHeader?: string) {
      const sentAt = Date.now();
      const hiddenUntil = steadyNow() + delay * 1000;
      const traced = traceHeader === undefined ? {} : { traceHeader };
      return add({ id: randomUUID(), body, attributes, sentAt, receiveCount: 0, hiddenUntil, ...traced });
    },

    receive(limit, visibilityTimeout = settings.visibilityTimeout) {
      const now = steadyNow();
      tidy();
      const taken = messages.filter(({ hiddenUntil }) => hiddenUntil <= now).slice(0, limit);
      return taken.map((message) => {
        const receiptHandle = randomUUID();
        const firstReceivedAt = message.firstReceivedAt ?? Date.now();
        const hiddenUntil = now + visibilityTimeout * 1000;
        Object.assign(message, { receiptHandle, firstReceivedAt, hiddenUntil });
        message.receiveCount += 1;
        note({ did: 'receive', queue: name, id: message.id, receiveCount: message.receiveCount });
        return { ...message, receiptHandle };
      });
    },

    remove(receiptHandle) {
      const removed = messages.find((one) => one.receiptHandle === receiptHandle);
      if (!removed) return false;
      note({ did: 'remove', queue: name, id: removed.id });
      messages = messages.filter((one) => one !== removed);
      return true;
    },

    hide(receiptHandle, seconds) {
      const message = worked(receiptHandle);
      if (!message) return false;
      // Not noted: after a crash it is there at once, for whoever had received it is gone.
      message.hiddenUntil = steadyNow() + seconds * 1000;
      for (const wake of [...waiting]) wake();
      return true;
    },

    purge() {
      note({ did: 'purge', queue: name });
      messages = [];
    },

    takeOver: (message) => void add(message),

    arrival(ms, signal) {
      const next = messages.reduce((least, { hiddenUntil }) => Math.min(least, hiddenUntil), Infinity) - steadyNow();
      if (ms <= 0 || next <= 0 || signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          waiting.delete(wake);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, Math.min(ms, next));
        waiting.add(wake);
        signal?.addEventListener('abort', wake);
      });
    },
  };
}

/** One standard queue: SQS developer guide, "Visibility timeout", "Delay queues", "Using dead-letter queues". */
import { randomUUID } from 'node:crypto';
import { monotonicNow } from '../monotonic-clock';
import type { JournalEntry, Message, MessageAttributes, ReceivedMessage } from './message';

/** What SetQueueAttributes changes. */
export interface QueueConfiguration {
  /** In seconds, like `delay`, `retention` and `receiveWait`. */
  readonly visibilityTimeout: number;
  readonly delay: number;
  readonly retention: number;
  /** How long a receive waits for a message unless it says how long. */
  readonly receiveWait: number;
  readonly maxBytes: number;
  /** Dead-letter queue, and the number of receives after which a message moves there. */
  readonly redrive?: { readonly maxReceiveCount: number; readonly to: Queue } | undefined;
}

export interface QueueSettings {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  /** Persists a change before it is acknowledged; when it throws, the change is not made. */
  record(entry: JournalEntry): void;
}

export interface Queue extends Omit<QueueSettings, 'record'>, QueueConfiguration {
  /** Replaces the configuration; messages that are there keep their delay and visibility. */
  configure(next: QueueConfiguration): void;
  /** Sends a message. @param delay in seconds @param traceHeader tracing header of the sender */
  send(body: string, attributes?: MessageAttributes, delay?: number, traceHeader?: string): Message;
  /** Receives up to `limit` visible messages and hides them for `visibilityTimeout` seconds. */
  receive(limit: number, visibilityTimeout?: number): readonly ReceivedMessage[];
  /** Deletes a received message. @returns whether the receipt handle is the latest of a message */
  remove(receiptHandle: string): boolean;
  /** Hides a received message for `seconds` from now. @returns whether it is still in flight */
  changeVisibility(receiptHandle: string, seconds: number): boolean;
  /** Drops a message that was moved elsewhere. */
  discard(id: string): void;
  purge(): void;
  /** Resolves when a message may be visible, after `ms`, or when the signal aborts. */
  waitForMessage(ms: number, signal?: AbortSignal): Promise<void>;
  /** Adds an existing message: restored at start, or dead-lettered by another queue. */
  enqueue(message: Message): void;
  /** All messages, oldest first. */
  readonly messages: readonly Message[];
  /** All messages, including those that have expired or are due for the dead-letter queue. */
  readonly stored: readonly Message[];
}

export function createQueue(settings: QueueSettings, initial: QueueConfiguration): Queue {
  const { arn, name, url, record } = settings;
  let configuration = initial;
  const waiters = new Set<() => void>();
  let messages: Message[] = [];

  function add(message: Message): Message {
    record({ did: 'add', queue: name, message });
    messages.push(message);
    for (const wake of [...waiters]) wake();
    return message;
  }

  /** Drops expired messages and moves those received too often to the dead-letter queue. */
  function expireAndRedrive(): void {
    const now = monotonicNow();
    const { retention, redrive } = configuration;
    const isExpired = ({ sentAt }: Message) => sentAt + retention * 1000 <= Date.now();
    const isPoison = ({ receiveCount, hiddenUntil }: Message) =>
      redrive !== undefined && receiveCount >= redrive.maxReceiveCount && hiddenUntil <= now;
    const leaving = messages.filter((one) => isExpired(one) || isPoison(one));
    if (leaving.length === 0) return;
    for (const one of leaving) {
      // In this order, a crash in between leaves the message in both queues rather than in none.
      if (!isExpired(one)) redrive?.to.enqueue({ ...one, givenUpBy: arn });
      record({ did: 'remove', queue: name, id: one.id });
    }
    messages = messages.filter((one) => !leaving.includes(one));
  }

  function inFlight(receiptHandle: string): Message | undefined {
    return messages.find((one) => one.receiptHandle === receiptHandle && one.hiddenUntil > monotonicNow());
  }

  return {
    arn,
    name,
    url,
    get visibilityTimeout() {
      return configuration.visibilityTimeout;
    },
    get delay() {
      return configuration.delay;
    },
    get retention() {
      return configuration.retention;
    },
    get receiveWait() {
      return configuration.receiveWait;
    },
    get maxBytes() {
      return configuration.maxBytes;
    },
    get redrive() {
      return configuration.redrive;
    },
    configure(next) {
      configuration = next;
    },

    get messages() {
      expireAndRedrive();
      return messages;
    },

    get stored() {
      return messages;
    },

    send(body, attributes = {}, delay = configuration.delay, traceHeader?: string) {
      const sentAt = Date.now();
      const hiddenUntil = monotonicNow() + delay * 1000;
      const traced = traceHeader === undefined ? {} : { traceHeader };
      return add({ id: randomUUID(), body, attributes, sentAt, receiveCount: 0, hiddenUntil, ...traced });
    },

    receive(limit, visibilityTimeout = configuration.visibilityTimeout) {
      const now = monotonicNow();
      expireAndRedrive();
      const taken = messages.filter(({ hiddenUntil }) => hiddenUntil <= now).slice(0, limit);
      return taken.map((message) => {
        const receiptHandle = randomUUID();
        const firstReceivedAt = message.firstReceivedAt ?? Date.now();
        const hiddenUntil = now + visibilityTimeout * 1000;
        Object.assign(message, { receiptHandle, firstReceivedAt, hiddenUntil });
        message.receiveCount += 1;
        record({ did: 'receive', queue: name, id: message.id, receiveCount: message.receiveCount });
        return { ...message, receiptHandle };
      });
    },

    remove(receiptHandle) {
      const removed = messages.find((one) => one.receiptHandle === receiptHandle);
      if (!removed) return false;
      record({ did: 'remove', queue: name, id: removed.id });
      messages = messages.filter((one) => one !== removed);
      return true;
    },

    changeVisibility(receiptHandle, seconds) {
      const message = inFlight(receiptHandle);
      if (!message) return false;
      // Not recorded: the consumer ends with the process, so after a crash the message is visible at once.
      message.hiddenUntil = monotonicNow() + seconds * 1000;
      for (const wake of [...waiters]) wake();
      return true;
    },

    discard(id) {
      record({ did: 'remove', queue: name, id });
      messages = messages.filter((one) => one.id !== id);
    },

    purge() {
      record({ did: 'purge', queue: name });
      messages = [];
    },

    enqueue: (message) => void add(message),

    waitForMessage(ms, signal) {
      const next = messages.reduce((least, { hiddenUntil }) => Math.min(least, hiddenUntil), Infinity) - monotonicNow();
      if (ms <= 0 || next <= 0 || signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          waiters.delete(wake);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, Math.min(ms, next));
        waiters.add(wake);
        signal?.addEventListener('abort', wake);
      });
    },
  };
}

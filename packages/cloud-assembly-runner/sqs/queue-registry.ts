/**
 * The queues of an account. Those of the template are created anew at each start, as it says; those that were created
 * by calls are kept from one start to the next, with their attributes.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { openDataFile } from '../data-folder/atomic-file';
import type { JournalEntry } from './message';
import { createQueue, type Queue, type QueueConfiguration } from './queue';
import { queueAttributes, type QueueAttributes } from './queue-attributes';
import { allowsSend, parseQueuePolicy, type QueuePolicy } from './queue-policy';

const storedQueue = z.object({
  name: z.string(),
  attributes: queueAttributes,
  /** In Unix seconds, like `modifiedAt`. */
  createdAt: z.number(),
  modifiedAt: z.number(),
});

type StoredQueue = z.output<typeof storedQueue>;

export interface QueueEntry extends StoredQueue {
  readonly queue: Queue;
  readonly policy: QueuePolicy | undefined;
  readonly isFromTemplate: boolean;
}

/** A dead-letter queue that a queue can't have; `reason` in SQS's words. */
export class InvalidDeadLetterQueue extends Error {
  constructor(
    arn: string,
    readonly reason: string,
  ) {
    super(`${arn} can't be its dead-letter queue: ${reason}`);
  }
}

export interface QueueRegistryOptions {
  readonly dataFolder: string;
  arnOf(name: string): string;
  urlOf(name: string): string;
  /** Persists a change to the messages of a queue before it is acknowledged. */
  record(entry: JournalEntry): void;
}

export interface QueueRegistry {
  /** In the order of their creation. */
  all(): readonly QueueEntry[];
  find(name: string): QueueEntry | undefined;
  at(arn: string): QueueEntry | undefined;
  /** @throws InvalidDeadLetterQueue when it does not exist or does not allow it */
  create(name: string, attributes: QueueAttributes, isFromTemplate: boolean): QueueEntry;
  /** @throws InvalidDeadLetterQueue when it does not exist or does not allow it */
  change(entry: QueueEntry, attributes: QueueAttributes): void;
  /** Deletes a queue with its messages. */
  remove(entry: QueueEntry): void;
  /** Creates the queues of earlier starts, except those whose name a queue of the template has by now. */
  restore(): void;
  /** Whether the queue's policy allows a service to send on behalf of an ARN. */
  permits(arn: string, service: string, sourceArn: string): boolean;
}

export function createQueueRegistry({ dataFolder, arnOf, urlOf, record }: QueueRegistryOptions): QueueRegistry {
  const file = openDataFile(join(dataFolder, 'queue-attributes.json'), z.array(storedQueue), []);
  const entries = new Map<string, QueueEntry>();
  const at = (arn: string) => [...entries.values()].find(({ queue }) => queue.arn === arn);

  function configurationOf({ RedrivePolicy, ...attributes }: QueueAttributes): QueueConfiguration {
    const to = RedrivePolicy && at(RedrivePolicy.deadLetterTargetArn)?.queue;
    return {
      visibilityTimeout: attributes.VisibilityTimeout,
      delay: attributes.DelaySeconds,
      retention: attributes.MessageRetentionPeriod,
      receiveWait: attributes.ReceiveMessageWaitTimeSeconds,
      maxBytes: attributes.MaximumMessageSize,
      redrive: RedrivePolicy && to && { maxReceiveCount: RedrivePolicy.maxReceiveCount, to },
    };
  }

  /** Whether a queue may have the dead-letter queue that its attributes name: SQS API reference, SetQueueAttributes. */
  function checkDeadLetterQueue(name: string, { RedrivePolicy }: QueueAttributes): void {
    if (!RedrivePolicy) return;
    const { deadLetterTargetArn: arn } = RedrivePolicy;
    const target = at(arn);
    if (!target) throw new InvalidDeadLetterQueue(arn, 'Dead letter target does not exist.');
    const { redrivePermission = 'allowAll', sourceQueueArns = [] } = target.attributes.RedriveAllowPolicy ?? {};
    if (redrivePermission === 'allowAll' || sourceQueueArns.includes(arnOf(name))) return;
    throw new InvalidDeadLetterQueue(arn, 'Its redrive allow policy does not allow this source queue.');
  }

  const entryOf = (stored: StoredQueue, queue: Queue, isFromTemplate: boolean): QueueEntry => {
    const { Policy } = stored.attributes;
    return {
      ...stored,
      queue,
      isFromTemplate,
      policy: Policy === undefined ? undefined : parseQueuePolicy(JSON.parse(Policy)),
    };
  };
  const newQueue = (name: string, configuration: QueueConfiguration) =>
    createQueue({ name, arn: arnOf(name), url: urlOf(name), record }, configuration);

  /** Stores the change before it takes effect. Changes to queues of the template end with the stack. */
  function save(next: ReadonlyMap<string, QueueEntry>): void {
    const stored = [...next.values()].filter(({ isFromTemplate }) => !isFromTemplate);
    file.write(z.array(storedQueue).parse(stored));
  }

  function put(entry: QueueEntry): QueueEntry {
    if (!entry.isFromTemplate) save(new Map([...entries, [entry.name, entry]]));
    entries.set(entry.name, entry);
    return entry;
  }

  return {
    all: () => [...entries.values()],
    find: (name) => entries.get(name),
    at,

    create(name, attributes, isFromTemplate) {
      checkDeadLetterQueue(name, attributes);
      const queue = newQueue(name, configurationOf(attributes));
      const now = Math.floor(Date.now() / 1000);
      return put(entryOf({ name, attributes, createdAt: now, modifiedAt: now }, queue, isFromTemplate));
    },

    change({ name, createdAt, queue, isFromTemplate }, attributes) {
      checkDeadLetterQueue(name, attributes);
      const configuration = configurationOf(attributes);
      const modifiedAt = Math.floor(Date.now() / 1000);
      put(entryOf({ name, attributes, createdAt, modifiedAt }, queue, isFromTemplate));
      queue.configure(configuration);
    },

    remove(entry) {
      if (!entry.isFromTemplate) save(new Map([...entries].filter(([name]) => name !== entry.name)));
      entry.queue.purge();
      entries.delete(entry.name);
    },

    restore() {
      const kept = file.read().filter(({ name }) => !entries.has(name));
      for (const one of kept) {
        const { RedrivePolicy: _redrive, ...alone } = one.attributes;
        entries.set(one.name, entryOf(one, newQueue(one.name, configurationOf(alone)), false));
      }
      // Once all exist: a dead-letter queue may have been created after its source. One that is gone receives nothing.
      for (const { name, attributes } of kept) {
        const target = attributes.RedrivePolicy?.deadLetterTargetArn;
        if (target !== undefined && at(target)) entries.get(name)?.queue.configure(configurationOf(attributes));
      }
    },

    permits(arn, service, sourceArn) {
      const policy = at(arn)?.policy;
      return policy !== undefined && allowsSend(policy, arn, service, sourceArn);
    },
  };
}

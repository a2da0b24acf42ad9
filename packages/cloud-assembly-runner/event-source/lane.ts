/** The records of a shard whose batches are delivered one after the other. */
import { EventEmitter, once } from 'node:events';
import { monotonicNow } from '../monotonic-clock';
import type { Progress } from './checkpoint';
import type { StreamRecord } from './stream-reader';

/** A record that has been read and is to be delivered. */
export interface Pending extends Progress {
  readonly record: StreamRecord;
}

export interface LaneOptions {
  readonly batchSize: number;
  /** How long an incomplete batch waits for more records. */
  readonly windowMs: number;
  /** Delivers a batch of one shard; resolves when it is done, or after the signal has aborted. */
  deliver(batch: readonly Pending[]): Promise<void>;
  readonly signal: AbortSignal;
}

export interface Lane {
  add(pending: Pending): void;
  /** Delivers until the signal aborts. */
  run(): Promise<void>;
}

export function createLane({ batchSize, windowMs, deliver, signal }: LaneOptions): Lane {
  const queue: Pending[] = [];
  const changes = new EventEmitter();
  const change = () => once(changes, 'change', { signal }).catch(() => undefined);

  /** Takes the next batch; a batch has records of one shard only. */
  function take(): Pending[] {
    const shardId = queue[0]?.position.shardId;
    const end = queue.slice(0, batchSize).findIndex(({ position }) => position.shardId !== shardId);
    return queue.splice(0, end < 0 ? batchSize : end);
  }

  async function collect(): Promise<void> {
    const deadline = monotonicNow() + windowMs;
    while (queue.length < batchSize && monotonicNow() < deadline && !signal.aborted) {
      const timer = setTimeout(() => changes.emit('change'), deadline - monotonicNow());
      await change();
      clearTimeout(timer);
    }
  }

  return {
    add(pending) {
      queue.push(pending);
      changes.emit('change');
    },
    async run() {
      while (!signal.aborted) {
        if (queue.length === 0) await change();
        else {
          await collect();
          await deliver(take());
        }
      }
    },
  };
}

/**
 * Delivery of a batch of stream records, with retries: Lambda developer guide, "Retain discarded records for a DynamoDB
 * event source" and "Configuring partial batch response with DynamoDB and Lambda".
 */
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { monotonicNow } from '../monotonic-clock';
import { RequestTooLarge, TooManyRequests } from '../lambda';
import type { StreamRecord } from './stream-reader';

export type DiscardReason = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

export interface DeliveryOptions {
  /** Invokes the function; rejects when it fails. */
  invoke(records: readonly StreamRecord[]): Promise<unknown>;
  /** BisectBatchOnFunctionError: a failed batch is retried in two halves. */
  readonly bisects: boolean;
  /** ReportBatchItemFailures: the function's answer names the first failed record. */
  readonly reportsFailures: boolean;
  /** Negative: unlimited. The same applies to `maxAgeSeconds`. */
  readonly maxRetries: number;
  readonly maxAgeSeconds: number;
  /** Takes discarded records; `calls` is the number of invocations with them. */
  discard(records: readonly StreamRecord[], reason: DiscardReason, calls: number): void;
  /** Called with a record when it and all before it are done. */
  done(upTo: StreamRecord): void;
  /** Time after which a batch that fails is given up, in ms, instead of the record age. Default: never. */
  readonly retriesMs?: () => number | undefined;
  /** After it aborts, nothing is retried. */
  readonly signal: AbortSignal;
}

/** Records that are delivered together. */
interface SubBatch {
  readonly records: readonly StreamRecord[];
  readonly retries: number;
  readonly calls: number;
}

/** Delay before the first retry, and its maximum; it doubles. AWS waits longer; here a developer is waiting. */
const FIRST_RETRY_DELAY_MS = 50;
const MAX_RETRY_DELAY_MS = 5000;

/**
 * Returns a function that delivers one batch. It resolves to whether all records are done or discarded, which may be
 * false after an abort.
 */
export function createDelivery(options: DeliveryOptions): (batch: readonly StreamRecord[]) => Promise<boolean> {
  const { maxRetries, maxAgeSeconds, signal } = options;

  return async (batch) => {
    /** A stack: the last piece is delivered next. */
    const pending: SubBatch[] = [{ records: batch, retries: 0, calls: 0 }];
    const since = monotonicNow();
    let throttles = 0;
    for (let subBatch = pending.pop(); subBatch; subBatch = pending.pop()) {
      if (signal.aborted) return false;
      const records = discardExpired(subBatch, since);
      if (records.length === 0) continue;
      const outcome = await attempt(records);
      const last = records[outcome.failedAt - 1];
      if (last) options.done(last);
      const rest = records.slice(outcome.failedAt);
      if (rest.length === 0) continue;
      if (isAborted()) return false;
      const failed = last ? { records: rest, retries: 0, calls: 0 } : { ...subBatch, records };
      const next = after(failed, outcome);
      pending.push(...next.reverse());
      throttles = outcome.throttled === true ? throttles + 1 : 0;
      const delay = Math.min(FIRST_RETRY_DELAY_MS * 2 ** (failed.retries + throttles), MAX_RETRY_DELAY_MS);
      if (next.length > 0) await pause(delay, undefined, { signal }).catch(() => undefined);
    }
    return true;
  };

  /** A function, because the compiler does not see that the state may have changed. */
  function isAborted(): boolean {
    return signal.aborted;
  }

  /**
   * Discards expired records, which are the first ones, and returns the others.
   * @param since when the batch was first delivered
   */
  function discardExpired({ records, calls }: SubBatch, since: number): readonly StreamRecord[] {
    const retriesMs = options.retriesMs?.() ?? Infinity;
    if (calls > 0 && monotonicNow() - since >= retriesMs)
      return discardFirst(records, records.length, 'RecordAgeExceeded', calls);
    if (maxAgeSeconds < 0) return records;
    const oldest = Date.now() / 1000 - maxAgeSeconds;
    const firstUnexpired = records.findIndex(({ dynamodb }) => dynamodb.ApproximateCreationDateTime >= oldest);
    return discardFirst(records, firstUnexpired < 0 ? records.length : firstUnexpired, 'RecordAgeExceeded', calls);
  }

  function discardFirst(records: readonly StreamRecord[], count: number, reason: DiscardReason, calls: number) {
    const last = records[count - 1];
    if (last) {
      options.discard(records.slice(0, count), reason, calls);
      options.done(last);
    }
    return records.slice(count);
  }

  async function attempt(records: readonly StreamRecord[]): Promise<Outcome> {
    try {
      const answer = await options.invoke(records);
      return { failedAt: options.reportsFailures ? firstFailure(answer, records) : records.length };
    } catch (error) {
      return { failedAt: 0, tooLarge: error instanceof RequestTooLarge, throttled: error instanceof TooManyRequests };
    }
  }

  /** What to deliver after a failure; bisecting does not count as a retry. */
  function after({ records, retries, calls }: SubBatch, { failedAt, tooLarge, throttled }: Outcome): SubBatch[] {
    // "This doesn't apply to service errors or throttles where the batch doesn't reach the function."
    if (throttled) return [{ records, retries, calls }];
    // The failed record is now the first one, so its retries start at 0.
    if (failedAt > 0) return [{ records, retries, calls }];
    if ((options.bisects || tooLarge === true) && records.length > 1) {
      const middle = Math.ceil(records.length / 2);
      return [records.slice(0, middle), records.slice(middle)].map((half) => ({
        records: half,
        retries,
        calls: calls + 1,
      }));
    }
    if (maxRetries < 0 || retries < maxRetries) return [{ records, retries: retries + 1, calls: calls + 1 }];
    discardFirst(records, records.length, 'RetryAttemptsExhausted', calls + 1);
    return [];
  }
}

interface Outcome {
  /** Index of the first failed record; the number of records when none failed. */
  readonly failedAt: number;
  readonly tooLarge?: boolean;
  /** Lambda did not accept the invocation. */
  readonly throttled?: boolean;
}

const report = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish() }).nullish();

/** Index of the first reported record; 0 if the answer is invalid or names none of the batch. */
function firstFailure(answer: unknown, records: readonly StreamRecord[]): number {
  const parsed = report.safeParse(answer);
  if (!parsed.success) return 0;
  const reported = parsed.data?.batchItemFailures ?? [];
  if (reported.length === 0) return records.length;
  const indexes = reported.map(({ itemIdentifier }) =>
    records.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === itemIdentifier),
  );
  return Math.max(0, Math.min(...indexes));
}

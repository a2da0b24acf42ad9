/**
 * What happens to a batch of records: Lambda developer guide, "Retain discarded records for a DynamoDB event source" and
 * "Configuring partial batch response with DynamoDB and Lambda".
 */
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { RequestTooLarge, TooManyRequests } from '../lambda';
import type { StreamRecord } from './stream-reader';

export type DiscardReason = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

export interface DeliveryOptions {
  /** Calls the function; rejects when it fails. */
  invoke(records: readonly StreamRecord[]): Promise<unknown>;
  /** BisectBatchOnFunctionError: a failed batch is tried again in two halves. */
  readonly bisects: boolean;
  /** ReportBatchItemFailures: the function's answer says from which record on it failed. */
  readonly reportsFailures: boolean;
  /** Without end when negative, as the next. */
  readonly maxRetries: number;
  readonly maxAgeSeconds: number;
  /** Takes records that are given up; `calls` is how often the function was called with them. */
  discard(records: readonly StreamRecord[], reason: DiscardReason, calls: number): void;
  /** Is told of each record up to which all are worked on. */
  done(upTo: StreamRecord): void;
  /** Once it aborts, nothing is tried again. */
  readonly signal: AbortSignal;
}

/** Records that are tried together. */
interface Piece {
  readonly records: readonly StreamRecord[];
  readonly retries: number;
  readonly calls: number;
}

/** Before the first retry, and at most; they double. AWS waits longer, on one machine somebody is looking. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5000;

/** Gives the function that works on one batch: it resolves to whether every record is done or discarded, which at abort it may not be. */
export function createDelivery(options: DeliveryOptions): (batch: readonly StreamRecord[]) => Promise<boolean> {
  const { maxRetries, maxAgeSeconds, signal } = options;

  return async (batch) => {
    /** The next piece is the last one. */
    const pieces: Piece[] = [{ records: batch, retries: 0, calls: 0 }];
    let throttles = 0;
    for (let piece = pieces.pop(); piece; piece = pieces.pop()) {
      if (signal.aborted) return false;
      const records = withoutOld(piece);
      if (records.length === 0) continue;
      const outcome = await attempt(records);
      const last = records[outcome.failedAt - 1];
      if (last) options.done(last);
      const rest = records.slice(outcome.failedAt);
      if (rest.length === 0) continue;
      if (isAborted()) return false;
      const failed = last ? { records: rest, retries: 0, calls: 0 } : { ...piece, records };
      const next = after(failed, outcome);
      pieces.push(...next.reverse());
      throttles = outcome.throttled === true ? throttles + 1 : 0;
      const delay = Math.min(FIRST_PAUSE_MS * 2 ** (failed.retries + throttles), LONGEST_PAUSE_MS);
      if (next.length > 0) await pause(delay, undefined, { signal }).catch(() => undefined);
    }
    return true;
  };

  /** It may have aborted meanwhile, which the compiler does not see. */
  function isAborted(): boolean {
    return signal.aborted;
  }

  /** Discards the records that are too old, which are the first ones, and gives the others. */
  function withoutOld({ records, calls }: Piece): readonly StreamRecord[] {
    if (maxAgeSeconds < 0) return records;
    const oldest = Date.now() / 1000 - maxAgeSeconds;
    const young = records.findIndex(({ dynamodb }) => dynamodb.ApproximateCreationDateTime >= oldest);
    return giveUp(records, young < 0 ? records.length : young, 'RecordAgeExceeded', calls);
  }

  function giveUp(records: readonly StreamRecord[], count: number, reason: DiscardReason, calls: number) {
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

  /** What to try after a piece has failed at its first record; splitting it is no retry. */
  function after({ records, retries, calls }: Piece, { failedAt, tooLarge, throttled }: Outcome): Piece[] {
    // "This doesn't apply to service errors or throttles where the batch doesn't reach the function."
    if (throttled) return [{ records, retries, calls }];
    // It has only just become the first one.
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
    giveUp(records, records.length, 'RetryAttemptsExhausted', calls + 1);
    return [];
  }
}

interface Outcome {
  /** Index of the first record that failed, the number of records when none did. */
  readonly failedAt: number;
  readonly tooLarge?: boolean;
  /** Lambda did not take the call. */
  readonly throttled?: boolean;
}

const report = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish() }).nullish();

/** The first record that an answer reports; an answer that names none of the batch reports all of it. */
function firstFailure(answer: unknown, records: readonly StreamRecord[]): number {
  const parsed = report.safeParse(answer);
  if (!parsed.success) return 0;
  const reported = parsed.data?.batchItemFailures ?? [];
  if (reported.length === 0) return records.length;
  const places = reported.map(({ itemIdentifier }) =>
    records.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === itemIdentifier),
  );
  return Math.max(0, Math.min(...places));
}

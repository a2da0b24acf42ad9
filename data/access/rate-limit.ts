import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { itemThatRefused, succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';
import { update } from '../store/expression';
import { rateWindow } from '../../domain/access/rate-window';
import { Refusal } from '../../domain/values/refusal';

const counter = z.object({ calls: z.int() });

/** What is counted when a client calls an operation: an endpoint, or a handshake. */
export const callCounter = (clientId: string, operation: string) => `${clientId}#${operation}`;

/** Key of the item that counts the calls of a subject in a window, which begins at `windowStart` (Unix seconds). */
export const counterKey = (subject: string, windowStart: number) => ({ id: `calls#${subject}#${windowStart}` });

/** Parses a counter: the number of its calls. */
export const readCalls = (found: Record<string, unknown>): number => counter.parse(found).calls;

/** Counters outlive their window, since clocks may differ. */
const TTL_S = 600;

/** A counter whose condition failed: the number of calls and their ids. */
const refusedCounter = z.object({ ...counter.shape, callIds: z._default(z.set(z.string()), new Set()) });

const ID_BYTES = 9;

/** A limit of more calls is counted roughly, so that a counter stays below 2 kB. */
const MOST_COUNTED_EXACTLY = 120;

/**
 * Counts a call in its window by one atomic write.
 * @param subject what is limited, such as a client and an endpoint
 * @param windowStart Unix seconds
 * @param limit maximum of calls in the window
 * @returns the number of calls in the window, this one included; a number above `limit` only means that it is exceeded
 */
export const countCall = (subject: string, windowStart: number, limit: number): Promise<number> =>
  limit > MOST_COUNTED_EXACTLY ? countRoughly(subject, windowStart) : countExactly(subject, windowStart, limit);

/**
 * Counts a call without its id: a repeat by the SDK after a lost response counts twice. For limits of many calls, of
 * which the ids would make each write dearer: a thousand are 13 kB.
 */
async function countRoughly(subject: string, windowStart: number): Promise<number> {
  const { Attributes } = await dynamodb.send(
    new UpdateCommand({
      TableName: table('requests'),
      Key: counterKey(subject, windowStart),
      ...update({ set: { ttl: windowStart + TTL_S }, add: { calls: 1 } }),
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return readCalls(Attributes ?? {});
}

/**
 * Counts a call. The counter stores the ids of the calls, so that a retry by the SDK after a lost response is not
 * counted again. At the limit it stops counting and growing.
 */
async function countExactly(subject: string, windowStart: number, limit: number): Promise<number> {
  const callId = randomBytes(ID_BYTES).toString('base64url');
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({
        TableName: table('requests'),
        Key: counterKey(subject, windowStart),
        ...update({
          set: { ttl: windowStart + TTL_S },
          add: { calls: 1, callIds: new Set([callId]) },
          condition: 'attribute_not_exists(calls) OR (calls < :most AND NOT contains(callIds, :callId))',
          values: { most: limit, callId },
        }),
        ReturnValues: 'UPDATED_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return readCalls(Attributes ?? {});
  } catch (error) {
    const { calls, callIds } = refusedCounter.parse(itemThatRefused(error).found);
    return callIds.has(callId) ? calls : Math.max(calls, limit) + 1;
  }
}

/** Takes back one call of a subject in a window. */
export const uncountCall = (subject: string, windowStart: number): Promise<boolean> =>
  succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('requests'),
        Key: counterKey(subject, windowStart),
        ...update({ add: { calls: -1 }, condition: 'calls > :none', values: { none: 0 } }),
      }),
    ),
  );
/** Keys whose window this instance knows to be exhausted, with the window's start: refusing them costs no write. */
const usedUp = new Map<string, number>();
const MAX_CACHED = 10_000;

/**
 * Counts a call in fixed windows of a minute.
 * @param key what is counted, and for whom
 * @param limit calls per minute
 * @returns the number of calls in the window, this one included
 * @throws Refusal `too_many_requests`
 */
export async function limitRate(key: string, limit: number, now: Date): Promise<number> {
  const { start } = rateWindow(now.getTime() / 1000);
  if (usedUp.get(key) === start) throw new Refusal('too_many_requests');
  const calls = await countCall(key, start, limit);
  if (calls <= limit) return calls;
  if (usedUp.size >= MAX_CACHED) usedUp.clear();
  usedUp.set(key, start);
  throw new Refusal('too_many_requests');
}

/** Takes back a call that {@link limitRate} has counted. @param now as it was counted */
export async function uncount(key: string, now: Date): Promise<void> {
  await uncountCall(key, rateWindow(now.getTime() / 1000).start);
  usedUp.delete(key);
}

import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { Refusal } from '../../domain/refusal';
import { MAX_WAITING_OF_CLIENT, shardsToTry, waitingSeat, withSeat } from '../../domain/waiting-seats';
import { itemThatRefused, succeeded } from '../store/conditional-write';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { setting } from '../store/environment';

const ID_BYTES = 9;
/** Items outlive their last seat, in seconds. */
const TTL_S = 600;
const MAX_ATTEMPTS = 3;
/** An instance that has found no seat doesn't look again for so long, in ms: a failed attempt costs as much as one that succeeds. */
const FULL_FOR_MS = 1000;

/** An item with seats, and how many it may have. */
interface Seats {
  readonly id: string;
  readonly max: number;
}

/** A call that wants to wait. */
export interface Waiter {
  readonly clientId: string;
  /** Unix ms. */
  readonly now: number;
  /** When it ends at the latest, Unix ms: its seat is free then in any case. */
  readonly endsAt: number;
}

const item = z.object({ seats: z._default(z.set(z.string()), new Set()) });

/** Until when this instance doesn't look for a seat, Unix ms. */
let fullUntil = 0;

/**
 * Takes a seat of the client and one of the total: two write units, and two more to give them back.
 * @returns gives them back; undefined when the total is taken, or nearly so
 * @throws Refusal `too_many_requests` when those of the client are taken
 */
export async function takeWaitingSeat({
  clientId,
  now,
  endsAt,
}: Waiter): Promise<(() => Promise<unknown>) | undefined> {
  if (now < fullUntil) return undefined;
  const seat = waitingSeat(endsAt, randomBytes(ID_BYTES).toString('base64url'));
  const own = { id: `waiting#client#${clientId}`, max: MAX_WAITING_OF_CLIENT };
  if (!(await take(own, seat, now))) throw tooManyWait();
  for (const { shard, seats } of shardsToTry(Number(setting('MAX_WAITING_CALLS')), Math.random)) {
    const shared = { id: `waiting#shard#${shard}`, max: seats };
    // What can't be given back is free at the end of the wait, so it must not fail the call.
    if (await take(shared, seat, now)) return () => Promise.allSettled([release(own, seat), release(shared, seat)]);
  }
  fullUntil = now + FULL_FOR_MS;
  await release(own, seat);
  return undefined;
}

const tooManyWait = () =>
  new Refusal('too_many_requests', [
    { path: 'wait', message: `at most ${MAX_WAITING_OF_CLIENT} calls of a client wait at the same time` },
  ]);

/**
 * Takes a seat of an item by one write, if fewer than its maximum are taken. Otherwise the item that comes back tells which
 * calls have ended without giving theirs back: a second write replaces these, or a third finds that another call has done so.
 * @returns whether it was taken
 */
async function take({ id, max }: Seats, seat: string, now: number): Promise<boolean> {
  const ttl = Math.ceil(now / 1000) + TTL_S;
  const add = {
    UpdateExpression: 'ADD seats :seat SET #ttl = :ttl',
    ConditionExpression: 'attribute_not_exists(seats) OR size(seats) < :max',
    ExpressionAttributeValues: { ':seat': new Set([seat]), ':max': max, ':ttl': ttl },
  };
  let found = await write(id, add);
  for (let attempt = 2; found && attempt <= MAX_ATTEMPTS; attempt++) {
    // A retry by the SDK may find what its first attempt has written.
    if (found.has(seat)) return true;
    const after = withSeat(found, seat, max, now);
    if (!after) return false;
    const replace = {
      UpdateExpression: 'SET seats = :after, #ttl = :ttl',
      ConditionExpression: 'seats = :before',
      ExpressionAttributeValues: { ':after': after, ':before': found, ':ttl': ttl },
    };
    found = await write(id, found.size < max ? add : replace);
  }
  return found === undefined || found.has(seat);
}

interface Change {
  readonly UpdateExpression: string;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues: Record<string, unknown>;
}

/** Writes if the condition holds. @returns the seats of the item if it does not */
async function write(id: string, change: Change): Promise<ReadonlySet<string> | undefined> {
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: table('requests'),
        Key: { id },
        ...change,
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return undefined;
  } catch (error) {
    return item.parse(itemThatRefused(error).found ?? {}).seats;
  }
}

/** Gives a seat back; one that another call has replaced, since its time was over, stays that call's. */
const release = ({ id }: Seats, seat: string): Promise<boolean> =>
  succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('requests'),
        Key: { id },
        UpdateExpression: 'DELETE seats :seats',
        ConditionExpression: 'contains(seats, :seat)',
        ExpressionAttributeValues: { ':seats': new Set([seat]), ':seat': seat },
      }),
    ),
  );

import { randomBytes } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { callSeat, withSeat } from '../../domain/values/call-seats';
import { itemThatRefused, succeeded } from './conditional-write';
import { dynamodb, table } from './dynamodb';

const ID_BYTES = 9;
/** Items outlive their last seat, in seconds. */
const TTL_S = 600;
const MAX_ATTEMPTS = 3;

/** An item with seats, and how many it may have. */
export interface CallSeats {
  readonly id: string;
  readonly max: number;
}

const item = z.object({ seats: z._default(z.set(z.string()), new Set()) });

/** A seat that no other call has. @param endsAt when its call ends at the latest, Unix ms */
export const newCallSeat = (endsAt: number): string => callSeat(endsAt, randomBytes(ID_BYTES).toString('base64url'));

/**
 * Takes a seat of an item by one write, if fewer than its maximum are taken. Otherwise the item that comes back tells which
 * calls have ended without giving theirs back: a second write replaces these, or a third finds that another call has done so.
 * @returns whether it was taken
 */
export async function takeCallSeat({ id, max }: CallSeats, seat: string, now: number): Promise<boolean> {
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
export const releaseCallSeat = ({ id }: CallSeats, seat: string): Promise<boolean> =>
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

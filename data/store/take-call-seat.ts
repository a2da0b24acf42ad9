import { randomBytes } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { callSeat, withSeat } from '../../domain/values/call-seats';
import { itemThatRefused, succeeded } from './conditional-write';
import { dynamodb, table } from './dynamodb';
import { update, type Update } from './expression';

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
    set: { ttl },
    add: { seats: new Set([seat]) },
    condition: 'attribute_not_exists(seats) OR size(seats) < :max',
    values: { max },
  };
  let found = await write(id, add);
  for (let attempt = 2; found && attempt <= MAX_ATTEMPTS; attempt++) {
    // A retry by the SDK may find what its first attempt has written.
    if (found.has(seat)) return true;
    const after = withSeat(found, seat, max, now);
    if (!after) return false;
    const replace = { set: { seats: after, ttl }, condition: 'seats = :before', values: { before: found } };
    found = await write(id, found.size < max ? add : replace);
  }
  return found === undefined || found.has(seat);
}

/** Writes if the condition holds. @returns the seats of the item if it does not */
async function write(id: string, change: Update): Promise<ReadonlySet<string> | undefined> {
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: table('requests'),
        Key: { id },
        ...update(change),
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
        ...update({
          subtract: { seats: new Set([seat]) },
          condition: 'contains(seats, :seat)',
          values: { seat },
        }),
      }),
    ),
  );

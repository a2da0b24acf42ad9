/** Viewers of a share: its seats, and the number of viewers that the share shows. */
import * as z from 'zod/mini';
import { Refusal } from '../../domain/values/refusal';
import type { Share } from '../../domain/shares/share';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { countSeats, noteChange, releaseSeats, shareSeats, type SeatHolder, type Seats } from '../store/seats';
import { itemThatRefused, succeeded } from '../store/conditional-write';
import { takeSeatInAnyShard } from './share-seats';
import { shareKey } from './shares';
import { dynamodb, table } from '../store/dynamodb';
import { update } from '../store/expression';
import { sendToQueue } from '../store/queue';

/** The number of viewers changes at most this often: every change is sent to all followers of the share. */
const COUNT_DELAY_S = 1;

const recount = z.object({ shareCode: z.string() });

/** Parses a message of the queue. @throws ZodError, SyntaxError for one that this service never sent */
export const readRecount = (body: string): string => recount.parse(JSON.parse(body)).shareCode;

/** Requests a count of a share's viewers in a second, through the queue of `lambdas/shares/count-viewers.lambda.ts`. */
export const requestViewerCount = (shareCode: string): Promise<void> =>
  sendToQueue('VIEWER_COUNT_QUEUE_URL', { shareCode }, COUNT_DELAY_S);

/** Longer than any share lasts, in seconds. */
const SEATS_TTL_S = 86_400;

/** Requests a count unless one is pending: the first shard notes that, for all of them. */
async function seatsChanged(shareCode: string, shard: number, { recount }: Seats, ttl: number): Promise<void> {
  const isFirst = shard === 0 ? !recount : await noteChange(shareSeats(shareCode), ttl);
  if (isFirst) await requestViewerCount(shareCode);
}

/**
 * Takes a seat for a viewer by one atomic write, so that two handshakes can't both get the last one.
 * @param now Unix seconds
 * @returns the shard of the seat, which its release needs
 * @throws Refusal `too_many_viewers`
 */
export async function takeViewerSeat(share: Share, viewer: SeatHolder, now: number): Promise<number> {
  const { shareCode, maxViewers } = share;
  const ttl = Math.ceil(Date.parse(share.expiresAt) / 1000);
  const taken = await takeSeatInAnyShard(shareSeats(shareCode), viewer, { max: maxViewers, ttl, now });
  if (!taken) throw new Refusal('too_many_viewers');
  await seatsChanged(shareCode, taken.shard, taken.before, ttl);
  return taken.shard;
}

/** Releases seats of viewers in one shard; no effect on seats that are free already. */
export async function releaseViewerSeats(shareCode: string, viewers: readonly SeatHolder[], shard = 0): Promise<void> {
  const before = await releaseSeats(shareSeats(shareCode), viewers, shard);
  const [first] = viewers;
  if (before && first) await seatsChanged(shareCode, shard, before, first.openedAt + SEATS_TTL_S);
}

/** Two concurrent counts may be written in reverse order: the write of the earlier one fails then. */
const IS_LATEST_COUNT =
  'attribute_exists(shareCode) AND (attribute_not_exists(viewerCount) OR viewerCount < :viewerCount)';

/**
 * Writes the number of viewers into the share, if the share still exists and the number has changed.
 * @param now Unix seconds
 */
export async function countViewers(shareCode: string, now: number): Promise<void> {
  const { taken, count } = await countSeats(shareSeats(shareCode), now + SEATS_TTL_S);
  const item = { TableName: table('shares'), Key: shareKey(shareCode) };
  try {
    await dynamodb.send(
      new UpdateCommand({
        ...item,
        ...update({
          set: { currentViewers: taken, viewerCount: count },
          add: { version: 1 },
          condition: `${IS_LATEST_COUNT} AND currentViewers <> :currentViewers`,
        }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
  } catch (error) {
    if (itemThatRefused(error).found?.['currentViewers'] !== taken) return;
    // Same number, but an earlier count with another number may still be on its way.
    await succeeded(
      dynamodb.send(
        new UpdateCommand({
          ...item,
          ...update({ set: { viewerCount: count }, condition: IS_LATEST_COUNT }),
        }),
      ),
    );
  }
}

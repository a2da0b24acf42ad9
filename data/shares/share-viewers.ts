/** Viewers of shares: who may come in, and how many of them the share is said to have. */
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { Refusal } from '../../domain/refusal';
import type { Share } from '../../domain/share';
import { UpdateCommand } from '../store/document-client';
import { countPlaces, givePlacesBack, placeOf, takePlace, type PlaceHolder } from '../connections/places';
import { itemThatRefused, succeeded } from '../store/conditional-write';
import { keyOf } from './shares';
import { dynamodb, table } from '../store/dynamodb';

const queue = new SQSClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
});

/** The number of viewers is told at most so often, in seconds: each telling goes to everybody who follows the share. */
const COUNT_DELAY_S = 1;

const SEATS = 'seats#';
const seatsOf = (shareCode: string) => `${SEATS}${shareCode}`;

/** The share whose seats an item of the connections table counts, or undefined for any other item. */
export const shareOfSeats = (channel: string): string | undefined =>
  channel.startsWith(SEATS) ? channel.slice(SEATS.length) : undefined;

const recount = z.object({ shareCode: z.string() });

/** A message of the queue as it was sent. @throws ZodError, SyntaxError for one that we never sent */
export const readRecount = (body: string): string => recount.parse(JSON.parse(body)).shareCode;

/** Has the viewers of a share counted a second from now, by whoever reads the queue. */
export async function countViewersLater(shareCode: string): Promise<void> {
  const QueueUrl = process.env['VIEWER_COUNT_QUEUE_URL'];
  if (!QueueUrl) throw new Error('VIEWER_COUNT_QUEUE_URL is not set');
  await queue.send(
    new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify({ shareCode }), DelaySeconds: COUNT_DELAY_S }),
  );
}

/**
 * Lets one more viewer in, by one atomic write, so that handshakes at the same moment can't both get the last seat.
 * @param now Unix seconds
 * @throws Refusal `too_many_viewers`
 */
export async function takeSeat(share: Share, viewer: PlaceHolder, now: number): Promise<void> {
  const { shareCode, maxViewers } = share;
  const ttl = Math.ceil(Date.parse(share.expiresAt) / 1000);
  const before = await takePlace(seatsOf(shareCode), viewer, { max: maxViewers, ttl, now });
  if (!before) throw new Refusal('too_many_viewers');
  if (!before.recount) await countViewersLater(shareCode);
}

/** Gives seats back; nothing happens when they are free already. */
export async function leaveSeats(shareCode: string, viewers: readonly PlaceHolder[]): Promise<void> {
  const before = await givePlacesBack(seatsOf(shareCode), new Set(viewers.map(placeOf)));
  if (before && !before.recount) await countViewersLater(shareCode);
}

/** Two counts at the same time may be written in the other order: that of the earlier one is refused then. */
const LATER = 'attribute_exists(shareCode) AND (attribute_not_exists(viewerCount) OR viewerCount < :count)';

/** Longer than any share lasts, in seconds. */
const SEATS_KEPT_S = 86_400;

/**
 * Notes in the share how many viewers it has, if it still stands and that has changed.
 * @param now Unix seconds
 */
export async function countViewers(shareCode: string, now: number): Promise<void> {
  const { taken, count } = await countPlaces(seatsOf(shareCode), now + SEATS_KEPT_S);
  const item = { TableName: table('SHARES'), Key: keyOf(shareCode) };
  try {
    await dynamodb.send(
      new UpdateCommand({
        ...item,
        UpdateExpression: 'SET currentViewers = :taken, viewerCount = :count ADD version :one',
        ConditionExpression: `${LATER} AND currentViewers <> :taken`,
        ExpressionAttributeValues: { ':taken': taken, ':count': count, ':one': 1 },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
  } catch (error) {
    if (itemThatRefused(error).found?.['currentViewers'] !== taken) return;
    // No news, but an earlier count with another number may be on its way still.
    await succeeded(
      dynamodb.send(
        new UpdateCommand({
          ...item,
          UpdateExpression: 'SET viewerCount = :count',
          ConditionExpression: LATER,
          ExpressionAttributeValues: { ':count': count },
        }),
      ),
    );
  }
}

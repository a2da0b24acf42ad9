import * as z from 'zod/mini';
import { Refusal } from '../domain/refusal';
import type { Share } from '../domain/share';
import { UpdateCommand } from './documents';
import { refusedBy, wasMade } from './refused-write';
import { keyOf, shareFromItem } from './shares';
import { dynamodb, table } from './table';

const places = z.object({ viewers: z._default(z.set(z.string()), new Set()) });

/** A place names its end, so that a viewer who was never seen to leave gives it back. */
export const placeOf = (connectionId: string, expiresAt: number) => `${expiresAt} ${connectionId}`;

async function takePlace(shareCode: string, place: string, now: string): Promise<Share> {
  const { Attributes } = await dynamodb.send(
    new UpdateCommand({
      TableName: table('SHARES'),
      Key: keyOf(shareCode),
      UpdateExpression: 'ADD viewers :places, version :one',
      ConditionExpression:
        'attribute_exists(shareCode) AND expiresAt > :now AND (attribute_not_exists(viewers) OR size(viewers) < maxViewers)',
      ExpressionAttributeValues: { ':places': new Set([place]), ':one': 1, ':now': now },
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  );
  const share = shareFromItem(Attributes);
  if (!share) throw new Error('an update of a share returned no share');
  return share;
}

/** Gives places back; nothing happens when the share is gone. */
export async function leaveShare(shareCode: string, given: ReadonlySet<string>): Promise<void> {
  await wasMade(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('SHARES'),
        Key: keyOf(shareCode),
        UpdateExpression: 'DELETE viewers :places ADD version :one',
        // Else a share that has been revoked would come back, and a place given back twice would count as a change.
        ConditionExpression: 'attribute_exists(shareCode) AND contains(viewers, :place)',
        ExpressionAttributeValues: { ':places': given, ':place': [...given][0], ':one': 1 },
      }),
    ),
  );
}

/**
 * Lets one more viewer in, by one atomic write, so that handshakes at the same moment can't both get the last place.
 * @param now moment of the handshake
 * @returns the share with the viewer counted
 * @throws Refusal `share_not_found`, `too_many_viewers`
 */
export async function enterShare(shareCode: string, place: string, now: Date): Promise<Share> {
  const at = now.toISOString();
  try {
    return await takePlace(shareCode, place, at);
  } catch (error) {
    const { found } = refusedBy(error);
    const share = shareFromItem(found);
    if (!share || share.expiresAt <= at) throw new Refusal('share_not_found');
    const { viewers } = places.parse(found);
    const ended = [...viewers].filter((held) => Number(held.split(' ', 1)[0]) <= now.getTime() / 1000);
    if (ended.length === 0) throw new Refusal('too_many_viewers');
    await leaveShare(shareCode, new Set(ended));
    return takePlace(shareCode, place, at).catch((again: unknown) => {
      refusedBy(again);
      throw new Refusal('too_many_viewers');
    });
  }
}

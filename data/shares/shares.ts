import * as z from 'zod/mini';
import { organisationOf, type Organisation } from '../../domain/id';
import { pageToken, readPageToken } from '../../domain/page-token';
import { Refusal } from '../../domain/refusal';
import { hasExpired, share, type Share } from '../../domain/share';
import {
  DeleteCommand,
  GetCommand,
  QueryCommand,
  UpdateCommand,
  type QueryCommandOutput,
} from '../store/document-client';
import { insertOnce, type FirstAnswer } from '../requests/idempotency';
import { pageOf, withOneMore } from '../store/page';
import { metadataText, readMetadata } from '../store/metadata-text';
import { readable } from '../store/readable';
import { isRepeat, itemThatRefused, succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';

const item = z.object({
  ...share.shape,
  metadata: z.pipe(z.transform(readMetadata), share.shape.metadata),
});

/** A share as it was read. @throws Error when the item is none */
export const shareFromItem = (found: Record<string, unknown> | undefined): Share | undefined =>
  found && item.parse(found);

/** Key of a share; its code tells the partition. @throws Refusal `share_not_found` for what is no share code */
export function keyOf(shareCode: string) {
  const organisation = organisationOf('share', shareCode);
  if (!organisation) throw new Refusal('share_not_found');
  return { organisation, shareCode };
}

/** Why a share can't be had: gone, or another's. Expired is gone (spec section 2). */
function whyRefused(owner: Organisation, found: Share | undefined, caller: Organisation, now: string) {
  if (!found || hasExpired(found, now)) return new Refusal('share_not_found');
  return owner === caller ? undefined : new Refusal('forbidden');
}

/**
 * Keeps a new share of the organisation; `ttl` lets the table forget it once it has expired.
 * @param firstAnswer what to remember for the request's idempotency key, if it has one
 * @throws AlreadyAnswered when that key has been used
 */
export const insertShare = (organisation: Organisation, newShare: Share, firstAnswer?: FirstAnswer) =>
  insertOnce(
    {
      TableName: table('SHARES'),
      Item: {
        ...newShare,
        metadata: metadataText(newShare.metadata),
        organisation,
        ttl: Math.ceil(Date.parse(newShare.expiresAt) / 1000),
      },
    },
    'shareCode',
    firstAnswer,
  );

/**
 * A share of the organisation that stands at `now` (ISO 8601).
 * @throws Refusal `share_not_found`, or `forbidden` when it is another organisation's
 */
export async function findShare(caller: Organisation, shareCode: string, now: string): Promise<Share> {
  const key = keyOf(shareCode);
  const { Item } = await dynamodb.send(new GetCommand({ TableName: table('SHARES'), Key: key, ConsistentRead: true }));
  const found = shareFromItem(Item);
  if (!found) throw new Refusal('share_not_found');
  const refusal = whyRefused(key.organisation, found, caller, now);
  if (refusal) throw refusal;
  return found;
}

/**
 * A page of the organisation's shares that stand at `now` (ISO 8601), newest first, from one query.
 * A page may hold fewer than `limit`, for those that have expired are left out of it.
 * @throws Refusal `invalid_request` for a page token that is not of this list
 */
export async function listShares(
  organisation: Organisation,
  { limit, nextToken }: { limit: number; nextToken?: string | undefined },
  now: string,
) {
  const list = `shares ${organisation}`;
  const found = await dynamodb.send(
    new QueryCommand({
      TableName: table('SHARES'),
      ConsistentRead: true,
      KeyConditionExpression: 'organisation = :organisation',
      FilterExpression: 'expiresAt > :now',
      ExpressionAttributeValues: { ':organisation': organisation, ':now': now },
      ScanIndexForward: false,
      Limit: withOneMore(limit),
      ...(nextToken && { ExclusiveStartKey: { organisation, shareCode: readPageToken(list, nextToken) } }),
    }),
  );
  const page = pageOf(found, limit, 'shareCode');
  return {
    shares: readable(page.items, shareFromItem).filter((each) => each !== undefined),
    nextToken: page.after && pageToken(list, page.after),
  };
}

/**
 * Ends a share of the organisation by one conditional write.
 * @returns the share as it was; undefined when the answer to that write was lost and a repeat found the share gone
 * @throws Refusal `share_not_found`, or `forbidden` when it is another organisation's
 */
export async function revokeShare(caller: Organisation, shareCode: string, now: string): Promise<Share | undefined> {
  const key = keyOf(shareCode);
  try {
    const { Attributes } = await dynamodb.send(
      new DeleteCommand({
        TableName: table('SHARES'),
        Key: key,
        ConditionExpression: 'organisation = :caller AND expiresAt > :now',
        ExpressionAttributeValues: { ':caller': caller, ':now': now },
        ReturnValues: 'ALL_OLD',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return shareFromItem(Attributes);
  } catch (error) {
    const { found } = itemThatRefused(error);
    if (!found && isRepeat(error)) return undefined;
    throw whyRefused(key.organisation, shareFromItem(found), caller, now) ?? error;
  }
}

/** A share of any organisation that stands at `now` (ISO 8601), or undefined. */
export async function readShare(shareCode: string, now: string): Promise<Share | undefined> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('SHARES'), Key: keyOf(shareCode), ConsistentRead: true }),
  );
  const found = shareFromItem(Item);
  return found && !hasExpired(found, now) ? found : undefined;
}

/**
 * Removes a share whose time is up at `now` (ISO 8601); one that is gone already is fine. It is marked first, so that its
 * removal can be told from a revocation without asking what time it was.
 */
export async function endExpiredShare(shareCode: string, now: string): Promise<void> {
  const item = { TableName: table('SHARES'), Key: keyOf(shareCode) };
  const isOver = await succeeded(
    dynamodb.send(
      new UpdateCommand({
        ...item,
        UpdateExpression: 'SET expired = :true',
        ConditionExpression: 'expiresAt <= :now',
        ExpressionAttributeValues: { ':true': true, ':now': now },
      }),
    ),
  );
  if (isOver) await dynamodb.send(new DeleteCommand(item));
}

/**
 * Ends all shares of an organisation, as if each had been revoked: their viewers hear REVOKED and are closed. What ends
 * meanwhile is fine.
 * @returns how many there were
 */
export async function endSharesOf(organisation: Organisation): Promise<number> {
  let ended = 0;
  let from: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const page: QueryCommandOutput = await dynamodb.send(
      new QueryCommand({
        TableName: table('SHARES'),
        ConsistentRead: true,
        KeyConditionExpression: 'organisation = :organisation',
        ExpressionAttributeValues: { ':organisation': organisation },
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    for (const found of page.Items ?? []) {
      const Key = keyOf(String(found['shareCode']));
      await dynamodb.send(new DeleteCommand({ TableName: table('SHARES'), Key }));
      ended += 1;
    }
    from = page.LastEvaluatedKey;
  } while (from);
  return ended;
}

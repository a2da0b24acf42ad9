import * as z from 'zod/mini';
import type { Creator } from '../../domain/values/creator';
import { organisationOf, type Organisation } from '../../domain/values/id';
import { pageToken, readPageToken } from '../../domain/values/page-token';
import { Refusal, foreign } from '../../domain/values/refusal';
import { hasEnded, shareRecord, type Share } from '../../domain/shares/share';
import { DeleteCommand, GetCommand, QueryCommand, UpdateCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { insertOnce, type FirstAnswer } from '../store/first-answers';
import { cutPage, parseItems, withOneMore } from '../store/query';
import { metadataText, readMetadata } from '../store/metadata-text';
import { isRepeat, itemThatRefused, succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';
import { update } from '../store/expression';

const item = z.object({
  ...shareRecord.shape,
  metadata: z.pipe(z.transform(readMetadata), shareRecord.shape.metadata),
});

/** Parses the item of a share. @throws Error when it can't be parsed */
export const shareFromItem = (found: Record<string, unknown> | undefined): Share | undefined =>
  found && item.parse(found);

/** Key of a share; its code contains the partition key. @throws Refusal `share_not_found` when it is not a share code */
export function shareKey(shareCode: string) {
  const organisation = organisationOf('share', shareCode);
  if (!organisation) throw new Refusal('share_not_found');
  return { organisation, shareCode };
}

/** Why the caller may not access a share; an expired share counts as deleted (spec section 2). */
function whyRefused(owner: Organisation, found: Share | undefined, caller: Organisation, now: string) {
  if (!found || hasEnded(found, now)) return new Refusal('share_not_found');
  return owner === caller ? undefined : foreign('shareCode');
}

/**
 * Stores a new share of the creator's organisation; `ttl` lets DynamoDB delete it after expiry.
 * @param firstAnswer the response to store for the request's idempotency key, if it has one
 * @throws AlreadyAnswered when that key has been used
 */
export const insertShare = ({ organisation, clientId }: Creator, newShare: Share, firstAnswer?: FirstAnswer) =>
  insertOnce(
    {
      TableName: table('shares'),
      Item: {
        ...newShare,
        metadata: metadataText(newShare.metadata),
        organisation,
        // For operators: it is not part of the share.
        createdBy: clientId,
        ttl: Math.ceil(Date.parse(newShare.expiresAt) / 1000),
      },
    },
    'shareCode',
    firstAnswer,
  );

/**
 * A share of the organisation that has not expired at `now` (ISO 8601).
 * @throws Refusal `share_not_found`, or `forbidden` when it is another organisation's
 */
export async function findShare(caller: Organisation, shareCode: string, now: string): Promise<Share> {
  const key = shareKey(shareCode);
  const { Item } = await dynamodb.send(new GetCommand({ TableName: table('shares'), Key: key, ConsistentRead: true }));
  const found = shareFromItem(Item);
  if (!found) throw new Refusal('share_not_found');
  const refusal = whyRefused(key.organisation, found, caller, now);
  if (refusal) throw refusal;
  return found;
}

/**
 * A page of the organisation's shares that have not ended at `now` (ISO 8601), newest first, by a single query. It may hold
 * fewer than `limit`, since ended shares are left out.
 * @throws Refusal `invalid_request` for a page token of another list
 */
export async function readSharePage(
  organisation: Organisation,
  { limit, nextToken }: { limit: number; nextToken?: string | undefined },
  now: string,
) {
  const list = `shares ${organisation}`;
  const found = await dynamodb.send(
    new QueryCommand({
      TableName: table('shares'),
      ConsistentRead: true,
      KeyConditionExpression: 'organisation = :organisation',
      FilterExpression: 'expiresAt > :now AND attribute_not_exists(revokedAt)',
      ExpressionAttributeValues: { ':organisation': organisation, ':now': now },
      ScanIndexForward: false,
      Limit: withOneMore(limit),
      ...(nextToken && { ExclusiveStartKey: { organisation, shareCode: readPageToken(list, nextToken) } }),
    }),
  );
  const page = cutPage(found, limit, 'shareCode');
  return {
    shares: parseItems(page.items, shareFromItem).filter((each) => each !== undefined),
    nextToken: page.after && pageToken(list, page.after),
  };
}

/**
 * Ends a share of the organisation. It is marked with the time of its end first, which the stream record of the deletion has
 * then too. A call that failed between the two writes can be repeated.
 * @returns the share as it was, with `revokedAt`; undefined when the response was lost and a retry found the share deleted
 * @throws Refusal `share_not_found`, or `forbidden` when it is another organisation's
 */
export async function storeRevocation(
  caller: Organisation,
  shareCode: string,
  now: string,
): Promise<Share | undefined> {
  const item = { TableName: table('shares'), Key: shareKey(shareCode) };
  let marked;
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({
        ...item,
        ...update({
          setOnce: { revokedAt: now },
          condition: 'organisation = :caller AND expiresAt > :now',
          values: { caller, now },
        }),
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    marked = Attributes;
  } catch (error) {
    const { found } = itemThatRefused(error);
    throw whyRefused(item.Key.organisation, shareFromItem(found), caller, now) ?? error;
  }
  return deleteRevoked(item, marked);
}

/**
 * Of two that revoke a share at the same time, one finds it deleted.
 * @param marked the item as it was marked: it is what was deleted, if the response to that was lost
 */
async function deleteRevoked(
  item: { TableName: string; Key: ReturnType<typeof shareKey> },
  marked: Record<string, unknown> | undefined,
): Promise<Share | undefined> {
  try {
    const { Attributes } = await dynamodb.send(
      new DeleteCommand({ ...item, ConditionExpression: 'attribute_exists(shareCode)', ReturnValues: 'ALL_OLD' }),
    );
    return shareFromItem(Attributes);
  } catch (error) {
    itemThatRefused(error);
    if (isRepeat(error)) return shareFromItem(marked);
    throw new Refusal('share_not_found');
  }
}

/** A share of any organisation that has not expired at `now` (ISO 8601), or undefined. */
export async function readShare(shareCode: string, now: string): Promise<Share | undefined> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('shares'), Key: shareKey(shareCode), ConsistentRead: true }),
  );
  const found = shareFromItem(Item);
  return found && !hasEnded(found, now) ? found : undefined;
}

/**
 * Deletes a share if it has expired at `now` (ISO 8601). It is marked as expired first, so that the stream record of the
 * deletion can be distinguished from a revocation.
 */
export async function endExpiredShare(shareCode: string, now: string): Promise<void> {
  const item = { TableName: table('shares'), Key: shareKey(shareCode) };
  const marked = await succeeded(
    dynamodb.send(
      new UpdateCommand({
        ...item,
        ...update({ set: { expired: true }, condition: 'expiresAt <= :now', values: { now } }),
      }),
    ),
  );
  if (marked) await dynamodb.send(new DeleteCommand(item));
}

/**
 * Ends all shares of an organisation, as if each had been revoked: their viewers receive REVOKED and are closed.
 * @returns how many were deleted
 */
export async function endAllShares(organisation: Organisation): Promise<number> {
  let ended = 0;
  for await (const items of readSharesOf(organisation)) {
    for (const found of items) {
      const Key = shareKey(String(found['shareCode']));
      await dynamodb.send(new DeleteCommand({ TableName: table('shares'), Key }));
      ended += 1;
    }
  }
  return ended;
}

/** Yields the items of all shares of an organisation, expired ones too, oldest first. */
export async function* readSharesOf(organisation: Organisation): AsyncGenerator<Record<string, unknown>[]> {
  const pages = paginateQuery(
    { client: dynamodb },
    {
      TableName: table('shares'),
      ConsistentRead: true,
      KeyConditionExpression: 'organisation = :organisation',
      ExpressionAttributeValues: { ':organisation': organisation },
    },
  );
  for await (const { Items = [] } of pages) yield Items;
}

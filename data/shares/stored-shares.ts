import { GetCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { organisationOf, type Organisation } from '../../domain/values/id';
import type { Share } from '../../domain/shares/share';
import { dynamodb, table } from '../store/dynamodb';
import { parseItems } from '../store/query';
import { digestShareCode } from './share-id';
import { shareKey, shareFromItem, readSharesOf } from './shares';

/** A share with the client that created it, if that was noted. */
export interface StoredShare {
  readonly share: Share;
  readonly createdBy: string | undefined;
}

const creator = z.object({ createdBy: z.optional(z.string()) });

const creatorIn = (item: unknown): Pick<StoredShare, 'createdBy'> => ({ createdBy: creator.parse(item).createdBy });

/**
 * A share that exists, expired or not, by its code or by the digest that stands for it in logs; the digest costs a scan
 * of the table, in which a share is for a day at most.
 */
export async function findStoredShare(codeOrDigest: string): Promise<StoredShare | undefined> {
  const shareCode = organisationOf('share', codeOrDigest) ? codeOrDigest : await codeOf(codeOrDigest);
  if (shareCode === undefined) return undefined;
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('shares'), Key: shareKey(shareCode), ConsistentRead: true }),
  );
  const share = shareFromItem(Item);
  return share && { share, ...creatorIn(Item) };
}

const code = z.object({ shareCode: z.string() });

async function codeOf(digest: string): Promise<string | undefined> {
  const pages = paginateScan(
    { client: dynamodb },
    { TableName: table('shares'), ProjectionExpression: 'shareCode', ConsistentRead: true },
  );
  for await (const { Items = [] } of pages)
    for (const { shareCode } of parseItems(Items, (item) => code.parse(item)))
      if (digestShareCode(shareCode) === digest) return shareCode;
  return undefined;
}

/**
 * All shares of an organisation that have not expired at `now` (ISO 8601), oldest first; also one whose revocation
 * failed half way, so that it can be repeated.
 */
export async function readStoredShares(organisation: Organisation, now: string): Promise<StoredShare[]> {
  const found: StoredShare[] = [];
  for await (const items of readSharesOf(organisation)) {
    const shares = parseItems(items, (item) => ({ share: shareFromItem(item), ...creatorIn(item) }));
    for (const { share, createdBy } of shares) if (share && share.expiresAt > now) found.push({ share, createdBy });
  }
  return found;
}

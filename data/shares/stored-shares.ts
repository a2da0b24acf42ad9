import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Organisation } from '../../domain/id';
import { hasExpired, type Share } from '../../domain/share';
import { dynamodb, table } from '../store/dynamodb';
import { parseItems } from '../store/parse-items';
import { shareFromItem } from './shares';

/** A share with the client that created it, if that was noted. */
export interface StoredShare {
  readonly share: Share;
  readonly createdBy: string | undefined;
}

const creator = z.object({ createdBy: z.optional(z.string()) });

/** All shares of an organisation that have not expired at `now` (ISO 8601), oldest first. */
export async function readStoredShares(organisation: Organisation, now: string): Promise<StoredShare[]> {
  const found: StoredShare[] = [];
  const pages = paginateQuery(
    { client: dynamodb },
    {
      TableName: table('shares'),
      ConsistentRead: true,
      KeyConditionExpression: 'organisation = :organisation',
      ExpressionAttributeValues: { ':organisation': organisation },
    },
  );
  for await (const { Items = [] } of pages) {
    const shares = parseItems(Items, (item) => ({ share: shareFromItem(item), ...creator.parse(item) }));
    for (const { share, createdBy } of shares) if (share && !hasExpired(share, now)) found.push({ share, createdBy });
  }
  return found;
}

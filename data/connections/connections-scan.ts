import type { Follower } from './followers';
import { readFollower } from './followers';
import { ScanCommand, type ScanCommandOutput } from '../store/document-client';
import { countsPlaces, readPlaces, type Places } from './places';
import { readable } from '../store/readable';
import { dynamodb, table } from '../store/dynamodb';

/** How many places of somebody are taken: of a client, or of a share. */
export interface PlaceCount extends Places {
  /** Whose: `client#<clientId>` or `seats#<shareCode>`. */
  readonly owner: string;
}

/** Everything that is connected and what counts it, a page at a time. MQTT subscriptions are in the same table, and left out. */
export async function* allItems(): AsyncGenerator<{ connections: Follower[]; counts: PlaceCount[] }> {
  let from: ScanCommandOutput['LastEvaluatedKey'];
  do {
    const page: ScanCommandOutput = await dynamodb.send(
      new ScanCommand({
        TableName: table('CONNECTIONS'),
        FilterExpression: 'attribute_exists(expiresAt) OR attribute_exists(held) OR attribute_exists(recount)',
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    const items = (page.Items ?? []) as { channel: string; connectionId: string }[];
    yield {
      connections: readable(
        items.filter((item) => !countsPlaces(item)),
        readFollower,
      ),
      counts: items.filter(countsPlaces).map((item) => ({ ...readPlaces(item), owner: item.channel })),
    };
    from = page.LastEvaluatedKey;
  } while (from);
}

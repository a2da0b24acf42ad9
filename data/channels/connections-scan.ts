import { readFollower, type Follower } from './followers';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { isSeatCount, readSeats, shardNumber, type Seats } from '../store/seats';
import { parseItems } from '../store/query';
import { dynamodb, table } from '../store/dynamodb';

/** The seats of a client or a share. */
export interface SeatCount extends Seats {
  /** See `seatOwner`. */
  readonly owner: string;
  readonly shard: number;
}

/** Yields every connection and every seat count, page by page, without the MQTT subscriptions of the same table. */
export async function* scanConnections(): AsyncGenerator<{ connections: Follower[]; counts: SeatCount[] }> {
  const pages = paginateScan(
    { client: dynamodb },
    {
      TableName: table('connections'),
      FilterExpression: 'attribute_exists(expiresAt) OR attribute_exists(seats) OR attribute_exists(recount)',
    },
  );
  for await (const page of pages) {
    const items = (page.Items ?? []) as { channel: string; connectionId: string }[];
    yield {
      connections: parseItems(
        items.filter((item) => !isSeatCount(item)),
        readFollower,
      ),
      counts: items
        .filter(isSeatCount)
        .map((item) => ({ ...readSeats(item), owner: item.channel, shard: shardNumber(item) })),
    };
  }
}

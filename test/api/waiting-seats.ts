import { BatchWriteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { callSeat } from '../../domain/values/call-seats';
import { seatShards } from '../../domain/events/waiting-seats';
import type { Client } from './client';
import { database, tableNamed } from './stack/aws-access';

/** The most that a deployment may have. */
const ANY_TOTAL = 10_000;
/** Items in a call (DynamoDB API reference, BatchWriteItem). */
const BATCH = 25;

/** How many calls of a client wait. */
export async function waitingCallsOf({ credentials }: Client): Promise<number> {
  const Key = { id: `waiting#client#${credentials.clientId}` };
  const TableName = await tableNamed('Requests');
  const { Item } = await database().send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return (Item?.['seats'] as Set<string> | undefined)?.size ?? 0;
}

/**
 * Takes all seats of the total, as calls of other clients would, whatever the total is.
 * @returns gives them back
 */
export async function occupyAllSeats(): Promise<() => Promise<void>> {
  const table = await tableNamed('Requests');
  const ids = seatShards(ANY_TOTAL).map(({ shard }) => `waiting#shard#${shard}`);
  const seats = new Set(Array.from({ length: 25 }, (_, index) => callSeat(Date.now() + 60_000, `absent-${index}`)));
  const writeAll = async (request: (id: string) => object) => {
    for (let from = 0; from < ids.length; from += BATCH)
      await database().send(
        new BatchWriteCommand({ RequestItems: { [table]: ids.slice(from, from + BATCH).map(request) } }),
      );
  };
  await writeAll((id) => ({ PutRequest: { Item: { id, seats } } }));
  return () => writeAll((id) => ({ DeleteRequest: { Key: { id } } }));
}

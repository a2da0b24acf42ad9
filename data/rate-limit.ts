import * as z from 'zod/mini';
import { UpdateCommand } from './documents';
import { dynamodb, table } from './table';

const counter = z.object({ calls: z.int() });

/** Counters outlive their window a little, for the sake of clocks that differ. */
const KEPT_SECONDS = 600;

/**
 * Counts a call in its window, by one atomic write.
 * @param who whose calls are counted and of what, such as a client and an endpoint
 * @param windowStart Unix seconds
 * @returns how many calls the window has seen, this one included
 */
export async function countCall(who: string, windowStart: number): Promise<number> {
  const { Attributes } = await dynamodb.send(
    new UpdateCommand({
      TableName: table('REQUESTS'),
      Key: { id: `calls#${who}#${windowStart}` },
      UpdateExpression: 'ADD calls :one SET #ttl = :ttl',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':one': 1, ':ttl': windowStart + KEPT_SECONDS },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return counter.parse(Attributes).calls;
}

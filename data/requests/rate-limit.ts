import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { UpdateCommand } from '../store/document-client';
import { itemThatRefused } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';

const counter = z.object({ calls: z.int() });

/** Counters outlive their window a little, for the sake of clocks that differ. */
const KEPT_SECONDS = 600;

/** Of a counter that the condition stood against: what it had counted, and whose calls. */
const stood = z.object({ ...counter.shape, callIds: z._default(z.set(z.string()), new Set()) });

const ID_BYTES = 9;

/**
 * Counts a call in its window, by one atomic write. The counter knows the calls that it has counted, so that one is counted
 * once however often the SDK sends it, because an answer got lost; beyond the limit it neither counts nor grows.
 * @param who whose calls are counted and of what, such as a client and an endpoint
 * @param windowStart Unix seconds
 * @param most how many the window may see
 * @returns how many calls the window has seen, this one included; any number above `most` stands for too many
 */
export async function countCall(who: string, windowStart: number, most: number): Promise<number> {
  const callId = randomBytes(ID_BYTES).toString('base64url');
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({
        TableName: table('REQUESTS'),
        Key: { id: `calls#${who}#${windowStart}` },
        UpdateExpression: 'ADD calls :one, callIds :callIds SET #ttl = :ttl',
        ConditionExpression: 'attribute_not_exists(calls) OR (calls < :most AND NOT contains(callIds, :callId))',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: {
          ':one': 1,
          ':callIds': new Set([callId]),
          ':callId': callId,
          ':most': most,
          ':ttl': windowStart + KEPT_SECONDS,
        },
        ReturnValues: 'UPDATED_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return counter.parse(Attributes).calls;
  } catch (error) {
    const { calls, callIds } = stood.parse(itemThatRefused(error).found);
    return callIds.has(callId) ? calls : Math.max(calls, most) + 1;
  }
}

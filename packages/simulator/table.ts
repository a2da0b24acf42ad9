import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { clientConfig, setting } from './settings';

export const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig), {
  marshallOptions: { removeUndefinedValues: true },
});

/** The table of the simulated fleet: missions, and what is kept beside them, each under a key of its own. */
export const tableName = () => setting('MISSIONS_TABLE');

/** How long a finished item is kept, in s, so that a late event does not start it again: the bus may replay 14 days. */
const FINISHED_TTL_S = 15 * 86_400;
export const finishedTtl = (now: Date) => Math.floor(now.getTime() / 1000) + FINISHED_TTL_S;

/** Inserts a new item; a known one, even a finished one, stays as it is. @returns false for a known one */
export const insertItem = (Item: { readonly jobId: string } & Record<string, unknown>): Promise<boolean> =>
  succeeded(
    dynamodb.send(new PutCommand({ TableName: tableName(), Item, ConditionExpression: 'attribute_not_exists(jobId)' })),
  );

/** Updates an item, or makes it. @returns false when the condition is not met */
export function updateItem(
  jobId: string,
  UpdateExpression: string,
  ExpressionAttributeValues: Record<string, unknown>,
  ConditionExpression?: string,
): Promise<boolean> {
  const used = `${UpdateExpression} ${ConditionExpression ?? ''}`;
  const names = Object.entries({ '#state': 'state', '#ttl': 'ttl' }).filter(([name]) => used.includes(name));
  return succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: { jobId },
        UpdateExpression,
        ExpressionAttributeValues,
        ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names) }),
        ...(ConditionExpression !== undefined && { ConditionExpression }),
      }),
    ),
  );
}

/** Ends an item; it is kept, so that a repeat of its event does not begin it again. */
export const endItem = (jobId: string, now: Date): Promise<boolean> =>
  updateItem(jobId, 'SET #state = :over, #ttl = :ttl', { ':over': 'over', ':ttl': finishedTtl(now) });

async function succeeded(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

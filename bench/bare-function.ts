import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient());

/** What the endpoints are compared with: the least that a function does that reads one job, with no rule at all. */
export async function handler(event: { Key: Record<string, string> }) {
  const { Item } = await dynamodb.send(new GetCommand({ TableName: process.env['JOBS_TABLE'], Key: event.Key }));
  return { statusCode: Item ? 200 : 404, body: JSON.stringify(Item) };
}

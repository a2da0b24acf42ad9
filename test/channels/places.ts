import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Client } from '../api/client';
import { database, tableNamed } from '../api/stack/aws-access';

/** Where the places of a client are counted. */
export const placesOf = ({ credentials: { clientId } }: Client) => `client#${clientId}`;

/** How many of its connections' places a client has taken. */
export async function placesTaken(client: Client): Promise<number> {
  const { Items = [] } = await database().send(
    new QueryCommand({
      TableName: await tableNamed('Connections'),
      KeyConditionExpression: 'channel = :client',
      ExpressionAttributeValues: { ':client': placesOf(client) },
      ConsistentRead: true,
    }),
  );
  const held: unknown = Items[0]?.['held'];
  return held instanceof Set ? held.size : 0;
}

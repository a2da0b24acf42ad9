import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Client } from '../api/client';
import { database, tableNamed } from '../api/stack/aws-access';
import { organisationOfClient } from './resume';
import { until } from './until';

/**
 * Makes connections that a client and the viewers of its organisation have just opened a minute old, so that the next heartbeat is
 * theirs too, once they have their snapshots: before, there is none for them.
 * @param expiresAt when they end, Unix seconds
 */
export async function ageConnections(client: Client, expiresAt?: number): Promise<void> {
  const TableName = await tableNamed('Connections');
  const past = Math.floor(Date.now() / 1000) - 61;
  const young = new ScanCommand({
    TableName,
    FilterExpression: '(clientId = :clientId OR contains(shareCode, :organisation)) AND openedAt > :past',
    ExpressionAttributeValues: {
      ':clientId': client.credentials.clientId,
      ':organisation': organisationOfClient(client),
      ':past': past,
    },
  });
  const Items = await until('all snapshots', async () => {
    const { Items: found = [] } = await database().send(young);
    return found.some((item) => item['bufferingSince'] !== undefined) ? undefined : found;
  });
  const update = ({ channel, connectionId }: Record<string, unknown>) =>
    database().send(
      new UpdateCommand({
        TableName,
        Key: { channel: String(channel), connectionId: String(connectionId) },
        UpdateExpression: `SET openedAt = :past${expiresAt === undefined ? '' : ', expiresAt = :expiresAt'}`,
        ConditionExpression: 'attribute_exists(openedAt)',
        ExpressionAttributeValues: { ':past': past, ...(expiresAt !== undefined && { ':expiresAt': expiresAt }) },
      }),
    );
  // Items of sockets that were closed before may be deleted meanwhile.
  await Promise.allSettled(Items.map(update));
}

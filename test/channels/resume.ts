import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { HEAD, organisationLog } from '../../data/events/log-items';
import { formatCursor, readCursor } from '../../domain/events/cursor';
import { organisationOf } from '../../domain/values/id';
import type { Client } from '../api/client';
import { fleetOf } from '../api/given';
import { database, tableNamed } from '../api/stack/aws-access';
import type { Socket } from './socket';
import { until } from './until';

/** Tag of a client's organisation. */
export const organisationOfClient = (client: Client): string =>
  organisationOf('group', fleetOf(client).deviceGroupId) ?? '';

/** Matches any cursor of a client's organisation. */
export const cursorOfOrganisation = (client: Client): string =>
  expect.stringMatching(new RegExp(`^event-${organisationOfClient(client)}-[0-9a-z]{10}$`)) as string;

/** The number in a cursor of any organisation. */
export const numberIn = (cursor: string): number => readCursor(cursor.split('-')[1] ?? '', cursor);

/** Cursor of the last event of a client's organisation. */
export const lastCursor = async (client: Client): Promise<string> =>
  formatCursor(organisationOfClient(client), await lastNumber(client));

/** Number of the last event of a client's organisation. */
export async function lastNumber(client: Client): Promise<number> {
  const { Items = [] } = await database().send(
    new QueryCommand({
      TableName: await tableNamed('Events'),
      KeyConditionExpression: '#log = :log AND #number < :head',
      ExpressionAttributeNames: { '#log': 'log', '#number': 'number' },
      ExpressionAttributeValues: { ':log': organisationLog(organisationOfClient(client)), ':head': HEAD },
      ScanIndexForward: false,
      Limit: 1,
    }),
  );
  return Number(Items[0]?.['number'] ?? 0);
}

/** Waits until the log has so many events after a cursor: a change is in it a moment after the answer to the request. */
export const untilLogged = (client: Client, cursor: string, count: number) =>
  until(`${count} events in the log`, async () => (await lastNumber(client)) >= numberIn(cursor) + count || undefined);

/** The cursor of a snapshot, which its last message has. */
export const cursorOfSnapshot = (socket: Socket): Promise<string> =>
  until('the end of the snapshot', () => {
    const last = socket.messages.find(({ cursor }) => cursor !== undefined);
    return last && String(last['cursor']);
  });

/** Makes the event after a cursor as old as the log keeps events, so that a client can't resume from there. */
export async function expireAfter(client: Client, cursor: string): Promise<void> {
  const organisation = organisationOfClient(client);
  await database().send(
    new UpdateCommand({
      TableName: await tableNamed('Events'),
      Key: { log: organisationLog(organisation), number: readCursor(organisation, cursor) + 1 },
      UpdateExpression: 'SET keptUntil = :past',
      ConditionExpression: 'attribute_exists(message)',
      ExpressionAttributeValues: { ':past': Math.floor(Date.now() / 1000) - 1 },
    }),
  );
}

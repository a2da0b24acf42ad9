import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { seatOf, shareSeats, waitingSeats } from '../../data/connections/seats';
import type { Client } from '../api/client';
import { database, tableNamed } from '../api/stack/aws-access';

/** Key of the item with the seats of a client. */
export const seatsKeyOf = ({ credentials: { clientId } }: Client) => `client#${clientId}`;

/** Returns the number of seats that a client's connections have taken. */
export const seatsTaken = (client: Client): Promise<number> => seatsTakenOf(seatsKeyOf(client));

/** Returns the number of seats that the viewers of a share have taken. */
export const viewerSeatsTaken = (shareCode: string): Promise<number> => seatsTakenOf(shareSeats(shareCode));

async function seatsTakenOf(owner: string): Promise<number> {
  const { Items = [] } = await database().send(
    new QueryCommand({
      TableName: await tableNamed('Connections'),
      KeyConditionExpression: 'channel = :owner',
      ExpressionAttributeValues: { ':owner': owner },
      ConsistentRead: true,
    }),
  );
  const seats: unknown = Items[0]?.['seats'];
  return seats instanceof Set ? seats.size : 0;
}

/**
 * Occupies seats of a client's waiting calls, as calls of other programs would.
 * @returns reads how many seats are taken
 */
export async function occupyWaitingSeats({ credentials }: Client, count: number): Promise<() => Promise<number>> {
  const owner = waitingSeats(credentials.clientId);
  const now = Math.floor(Date.now() / 1000);
  const seats = Array.from({ length: count }, (_, index) =>
    seatOf({ connectionId: `call-${index}`, openedAt: now, expiresAt: now + 60 }),
  );
  await database().send(
    new UpdateCommand({
      TableName: await tableNamed('Connections'),
      Key: { channel: owner, connectionId: owner },
      UpdateExpression: 'ADD seats :seats',
      ExpressionAttributeValues: { ':seats': new Set(seats) },
    }),
  );
  return () => seatsTakenOf(owner);
}

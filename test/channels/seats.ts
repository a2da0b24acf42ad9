import { PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { storedAttributes } from '../../data/channels/connections';
import { clientSeats, formatSeat, seatsKey, shareSeats, type SeatHolder } from '../../data/store/seats';
import type { Client } from '../api/client';
import { database, tableNamed } from '../api/stack/aws-access';
import { until } from './until';

/** Owner of the seats of a client's connections. */
export const seatsOf = ({ credentials: { clientId } }: Client) => clientSeats(clientId);

/** Returns the number of seats that a client's connections have taken. */
export const seatsTaken = (client: Client): Promise<number> => seatsTakenOf(seatsOf(client));

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
  const shards = Items.map(({ seats }) => seats as unknown).filter((seats) => seats instanceof Set);
  return shards.reduce((taken, seats) => taken + seats.size, 0);
}

/** Takes seats of an owner, for connections that nobody opened. */
export async function givenSeats(owner: string, holders: readonly SeatHolder[]): Promise<void> {
  await database().send(
    new UpdateCommand({
      TableName: await tableNamed('Connections'),
      Key: seatsKey(owner),
      UpdateExpression: 'ADD seats :seats',
      ExpressionAttributeValues: { ':seats': new Set(holders.map(formatSeat)) },
    }),
  );
}

/**
 * Holders of seats that have no connection, as when one is lost without $disconnect. They begin now, since the
 * heartbeat releases the seats of those that are a minute old. A seat is found by the times of its holder.
 * @param name tells them from those of other files, which run against the same stack
 * @param forSeconds how long they last
 */
export function absentHolders(name: string, count: number, forSeconds: number): SeatHolder[] {
  const openedAt = Math.floor(Date.now() / 1000);
  const times = { openedAt, expiresAt: openedAt + forSeconds };
  return Array.from({ length: count }, (_, index) => ({ connectionId: `${name}-${index}=`, ...times }));
}

/**
 * Stores connections as followers of a channel, so that the next delivery finds them closed.
 * @param whose attributes that tell whose they are
 */
export async function givenFollowers(channel: string, holders: readonly SeatHolder[], whose: object): Promise<void> {
  const TableName = await tableNamed('Connections');
  const put = (holder: SeatHolder) =>
    database().send(new PutCommand({ TableName, Item: { channel, ...holder, ...storedAttributes(holder), ...whose } }));
  await Promise.all(holders.map(put));
}

/** Number of viewers of a share, as its partner sees it. */
async function viewersOf(partner: Client, shareCode: string): Promise<number | undefined> {
  const { body } = await partner.call('GET /v3/shares', { query: { limit: '100' } });
  return body.shares.find((share) => share.shareCode === shareCode)?.currentViewers;
}

/** Waits until a share has this number of viewers. */
export const untilViewersAre = (partner: Client, shareCode: string, count: number) =>
  until(`having ${count} viewers`, async () => ((await viewersOf(partner, shareCode)) === count ? true : undefined));

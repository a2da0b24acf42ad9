import { QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { HANDSHAKE, MAX_CONNECTIONS } from '../../contract/channels/status-channels';
import { HANDSHAKES_PER_MINUTE } from '../../contract/terms/rates';
import { LONGEST_CONNECTION_S } from '../../domain/channels/longest-connection';
import { clients, type Client } from '../api/client';
import { givenJob } from '../api/given';
import { database, tableNamed } from '../api/stack/aws-access';
import { givenCalls } from '../api/stack/given-calls';
import { givenFollowers, givenSeats, absentHolders, seatsOf, seatsTaken } from './seats';
import { follow, tryToFollow, type Handshake, type Socket } from './socket';
import { until } from './until';

// Two clients open as many sockets as they may: each has its own rate limit.
const [partner, colleague = partner, restless = partner] = clients('connection-limit');
const { clientId } = partner.credentials;
let jobId: string;
beforeAll(async () => {
  ({ jobId } = await givenJob(partner));
});
const channel = () => ({ kind: 'job', id: jobId }) as const;
const atOnce = (client: Client, count: number) =>
  Promise.all(Array.from({ length: count }, () => tryToFollow(client, channel())));
const opened = (handshakes: readonly Handshake[]): Socket[] => handshakes.flatMap(({ socket }) => socket ?? []);

const untilAllSeatsAreFree = (client: Client) =>
  until('releasing all seats', async () => ((await seatsTaken(client)) === 0 ? true : undefined));
afterEach(() => Promise.all([partner, colleague, restless].map(untilAllSeatsAreFree)));

describe('A client with 50 connections', () => {
  test('is refused the rest of 60 concurrent handshakes, and another client has its own seats', async () => {
    const handshakes = await atOnce(partner, 60);
    const statuses = handshakes.map(({ status }) => status);
    expect(statuses.filter((status) => status === 101)).toHaveLength(MAX_CONNECTIONS);
    expect(statuses.filter((status) => status === 429)).toHaveLength(60 - MAX_CONNECTIONS);
    expect(await tryToFollow(colleague, channel())).toMatchObject({ status: 101 });

    const sockets = opened(handshakes);
    await Promise.all(sockets.map((socket) => socket.first(1)));
    await sockets[0]?.close();
    await until('releasing a seat', async () => ((await seatsTaken(partner)) < MAX_CONNECTIONS ? true : undefined));
    const again = (await atOnce(partner, 3)).map(({ status }) => status);
    expect(again.toSorted()).toEqual([101, 429, 429]);
  });

  test('has 50 seats again when all are closed, with or without a close frame', async () => {
    const sockets = opened(await atOnce(colleague, MAX_CONNECTIONS));
    expect(sockets).toHaveLength(MAX_CONNECTIONS);
    sockets.forEach((socket, index) => (index % 2 ? socket.socket.terminate() : socket.socket.close()));
    await untilAllSeatsAreFree(colleague);
    expect(opened(await atOnce(colleague, MAX_CONNECTIONS))).toHaveLength(MAX_CONNECTIONS);
  });
});

describe('A seat whose connection was lost without $disconnect', () => {
  test('is released once the connection has expired', async () => {
    await givenSeats(seatsOf(partner), absentHolders('lost', MAX_CONNECTIONS, -1));
    expect(await tryToFollow(partner, channel())).toMatchObject({ status: 101 });
    expect(await seatsTaken(partner)).toBe(1);
  });

  test('is kept until then, or until the next change on its channel', async () => {
    const connections = absentHolders('lost', MAX_CONNECTIONS, LONGEST_CONNECTION_S);
    await givenSeats(seatsOf(partner), connections);
    expect(await tryToFollow(partner, channel())).toEqual({ status: 429 });
    await givenFollowers(`job#${jobId}`, connections, { clientId });
    await partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status: 'QUEUED' } });
    await untilAllSeatsAreFree(partner);
    const socket = await follow(partner, channel());
    expect(await socket.first(1)).toMatchObject([{ jobState: 'QUEUED', snapshot: true }]);
  });
});

test('the index by socket has a connection with its client, and no seats', async () => {
  await follow(partner, channel());
  const TableName = await tableNamed('Connections');
  const socketId = await until('storing the connection', async () => {
    const { Items = [] } = await database().send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'channel = :channel',
        ExpressionAttributeValues: { ':channel': `job#${jobId}` },
      }),
    );
    // One that was closed before is deleted shortly after its seat is released.
    const [own, another] = Items.filter((item) => item['clientId'] === clientId);
    return another ? undefined : (own?.['connectionId'] as string | undefined);
  });
  const indexed = await until('indexing the connection', async () => {
    const { Items = [] } = await database().send(new ScanCommand({ TableName, IndexName: 'by-socket' }));
    return Items.some((item) => item['socketId'] === socketId) ? Items : undefined;
  });
  expect(indexed).toContainEqual(expect.objectContaining({ socketId, channel: `job#${jobId}`, clientId }));
  expect(indexed.filter(({ channel: key }) => /^(client|seats|waiting|mqtt)#/.test(String(key)))).toEqual([]);
  expect(await seatsTaken(partner)).toBe(1);
});

test('a refused handshake takes no seat', async () => {
  for (let count = 0; count < 3; count++)
    expect(await tryToFollow(partner, { kind: 'job', id: 'nobody' })).toEqual({ status: 404 });
  expect(await seatsTaken(partner)).toBe(0);
});

test('a client that keeps opening sockets is refused with 429 for the rest of the minute, and its open sockets stay open', async () => {
  const stays = await follow(restless, channel());
  await givenCalls(`${restless.credentials.clientId}#${HANDSHAKE}`, HANDSHAKES_PER_MINUTE - 20);
  let granted = 0;
  await until('being refused', async () => {
    const handshakes = await atOnce(restless, 10);
    const sockets = opened(handshakes);
    granted += sockets.length;
    await Promise.all(sockets.map((socket) => socket.close()));
    return handshakes.some(({ status }) => status === 429) ? true : undefined;
  });
  // More if a minute has ended meanwhile.
  expect(granted).toBeGreaterThanOrEqual(20);
  expect(await tryToFollow(partner, channel())).toMatchObject({ status: 101 });
  stays.send({ action: 'ping' });
  expect(await stays.like({ type: 'pong' })).toMatchObject({ type: 'pong' });
});

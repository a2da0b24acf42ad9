import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { HANDSHAKES_PER_MINUTE, MAX_CONNECTIONS } from '../../contract/channels';
import { placeOf } from '../../data/connections/places';
import { clients, type Client } from '../api/client';
import { givenJob } from '../api/given';
import { database, tableNamed } from '../api/stack/aws-access';
import { placesOf, placesTaken } from './places';
import { follow, tryToFollow, type Handshake, type Socket } from './socket';
import { until } from './until';

// Two of them open all the sockets that they may: each has its own minute.
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

const put = async (item: Record<string, unknown>) =>
  database().send(new PutCommand({ TableName: await tableNamed('Connections'), Item: item }));
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

const places = placesOf(partner);
const openedAt = Math.floor(Date.now() / 1000);
const lost = Array.from({ length: MAX_CONNECTIONS }, (_, index) => `lost-${index}=`);

/** Lets connections have taken places that they never gave back. */
function givenLost(expiresAt: number) {
  const held = new Set(lost.map((connectionId) => placeOf({ expiresAt, openedAt, connectionId })));
  return put({ channel: places, connectionId: places, held });
}

/** Lets them have followed a channel, so that whoever tells them something finds out that they are gone. */
const givenFollowing = (channelKey: string, expiresAt: number) =>
  Promise.all(
    lost.map((connectionId) =>
      put({ channel: channelKey, connectionId, clientId, openedAt, expiresAt, ttl: expiresAt }),
    ),
  );

const untilAllAreBack = (client: Client) =>
  until('giving all places back', async () => ((await placesTaken(client)) === 0 ? true : undefined));
afterEach(() => Promise.all([partner, colleague, restless].map(untilAllAreBack)));

describe('A client with 50 connections', () => {
  test('has no more of 60 handshakes at once, and a colleague has places of its own.', async () => {
    const handshakes = await atOnce(partner, 60);
    const statuses = handshakes.map(({ status }) => status);
    expect(statuses.filter((status) => status === 101)).toHaveLength(MAX_CONNECTIONS);
    expect(statuses.filter((status) => status === 429)).toHaveLength(60 - MAX_CONNECTIONS);
    expect(await tryToFollow(colleague, channel())).toMatchObject({ status: 101 });

    const sockets = opened(handshakes);
    await Promise.all(sockets.map((socket) => socket.first(1)));
    await sockets[0]?.close();
    await until('giving a place back', async () => ((await placesTaken(partner)) < MAX_CONNECTIONS ? true : undefined));
    const again = (await atOnce(partner, 3)).map(({ status }) => status);
    expect(again.toSorted()).toEqual([101, 429, 429]);
  });

  test('has 50 places again when all are closed, whether they said goodbye or not.', async () => {
    const sockets = opened(await atOnce(colleague, MAX_CONNECTIONS));
    expect(sockets).toHaveLength(MAX_CONNECTIONS);
    sockets.forEach((socket, index) => (index % 2 ? socket.socket.terminate() : socket.socket.close()));
    await untilAllAreBack(colleague);
    expect(opened(await atOnce(colleague, MAX_CONNECTIONS))).toHaveLength(MAX_CONNECTIONS);
  });
});

describe('A place whose connection was lost without a word', () => {
  test('comes back once the connection must have ended.', async () => {
    await givenLost(inSeconds(-1));
    expect(await tryToFollow(partner, channel())).toMatchObject({ status: 101 });
    expect(await placesTaken(partner)).toBe(1);
  });

  test('is held until then, and comes back before it with the next change on its channel.', async () => {
    const expiresAt = inSeconds(3600);
    await givenLost(expiresAt);
    expect(await tryToFollow(partner, channel())).toEqual({ status: 429 });
    await givenFollowing(`job#${jobId}`, expiresAt);
    await partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status: 'QUEUED' } });
    await untilAllAreBack(partner);
    const socket = await follow(partner, channel());
    expect(await socket.first(1)).toMatchObject([{ jobState: 'QUEUED', snapshot: true }]);
  });
});

test('A handshake that is refused takes no place.', async () => {
  for (let count = 0; count < 3; count++)
    expect(await tryToFollow(partner, { kind: 'job', id: 'nobody' })).toEqual({ status: 404 });
  expect(await placesTaken(partner)).toBe(0);
});

test('A client that opens sockets on and on is refused with 429 for the rest of the minute, open ones go on.', async () => {
  const stays = await follow(restless, channel());
  let granted = 1;
  await until('being refused', async () => {
    const handshakes = await atOnce(restless, 10);
    const sockets = opened(handshakes);
    granted += sockets.length;
    await Promise.all(sockets.map((socket) => socket.close()));
    return handshakes.some(({ status }) => status === 429) ? true : undefined;
  });
  // More, should a minute have ended meanwhile.
  expect(granted).toBeGreaterThanOrEqual(HANDSHAKES_PER_MINUTE);
  expect(await tryToFollow(partner, channel())).toMatchObject({ status: 101 });
  stays.say({ action: 'ping' });
  expect(await stays.like({ type: 'pong' })).toEqual({ type: 'pong' });
});

import { decodeJwt } from 'jose';
import { channels, type Channel } from '../../contract/channels/status-channels';
import { scopes, type Scope } from '../../contract/terms/scopes';
import { clients, type Client } from '../api/client';
import { forgeries } from '../api/forgeries';
import { fleetOf, givenJob, givenShare } from '../api/given';
import { changeConnections, connectionsOf, tokenWith } from './changed-tokens';
import { seatsTaken } from './seats';
import { follow, shakeHands, type Socket } from './socket';
import { ask, openTelemetry, publish, sampleOf, samplesIn, subscribeTo } from './telemetry-socket';
import { quiet, until } from './until';

const [partner, colleague = partner, changing = partner] = clients('authenticate');
const [stranger] = clients('stranger');
const { deviceId, deviceGroupId } = fleetOf(partner);

const authenticate = async (socket: Socket, token: string | Promise<string>) =>
  ask(socket, { action: 'authenticate', token: await token });
const endOf = (token: string) => new Date((decodeJwt(token).exp ?? 0) * 1000).toISOString();
const forbidden = (path: string, message: string) => ({
  type: 'error',
  code: 'forbidden',
  error: 'Forbidden',
  details: [{ path, message }],
});
const expectOpen = async (socket: Socket) =>
  expect(await ask(socket, { action: 'ping' })).toMatchObject({ type: 'pong' });

const givenChannel: Readonly<Record<Channel['kind'], () => Promise<Channel>>> = {
  job: async () => ({ kind: 'job', id: (await givenJob(partner)).jobId }),
  group: () => Promise.resolve({ kind: 'group', id: deviceGroupId }),
  share: async () => ({ kind: 'share', id: (await givenShare(partner)).shareCode }),
};
const open: Readonly<Record<string, (client: Client) => Promise<Socket>>> = {
  job: async (client) => follow(client, await givenChannel.job()),
  group: async (client) => follow(client, await givenChannel.group()),
  share: async (client) => follow(client, await givenChannel.share()),
  telemetry: openTelemetry,
};
const openAs = (kind: string, client: Client) => (open[kind] ?? openTelemetry)(client);

/** Opens a telemetry socket with a token that has these scopes only. */
async function openWith(client: Client, held: readonly Scope[]): Promise<Socket> {
  const { socket } = await shakeHands('/telemetry', { authorization: `Bearer ${await tokenWith(client, held)}` });
  if (!socket) throw new Error('the handshake was refused');
  return socket;
}

const gone = (client: Client) => async () => ((await connectionsOf(client)).length === 0 ? true : undefined);

/** Ends the token that the sockets of the client were opened with: what `renew` has not given another end is over. */
async function endTheirToken(client: Client, renew: () => Promise<void>): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const expiresAt = now + 600;
  await changeConnections(client, { expiresAt });
  await renew();
  await changeConnections(client, { expiresAt: now - 1 }, (item) => item['expiresAt'] === expiresAt);
}

// Earlier sockets are removed after their end: an item that is still there would be taken for one of the test's.
beforeEach(() => until('the end of earlier sockets', gone(partner)));

describe.each(Object.keys(open))('authenticate on a socket of the kind %s', (kind) => {
  test('is answered with the end of the new token, right after the handshake too', async () => {
    const socket = await openAs(kind, partner);
    const token = await partner.newToken();
    expect(await authenticate(socket, token)).toEqual({ type: 'authenticated', expiresAt: endOf(token) });
  });

  test('keeps its one seat, which is released when it is closed', async () => {
    const socket = await openAs(kind, colleague);
    await changeConnections(colleague, { expiresAt: Math.floor(Date.now() / 1000) + 600 });
    for (let times = 0; times < 2; times++) await authenticate(socket, colleague.newToken());
    expect(await seatsTaken(colleague)).toBe(1);
    await socket.close();
    await until('releasing the seat', async () => ((await seatsTaken(colleague)) === 0 ? true : undefined));
  });

  test('never lets it last for more than two hours', async () => {
    const socket = await openAs(kind, partner);
    const openedAt = Math.floor(Date.now() / 1000) - 7000;
    await changeConnections(partner, { openedAt });
    expect(await authenticate(socket, partner.newToken())).toEqual({
      type: 'authenticated',
      expiresAt: new Date((openedAt + 7200) * 1000).toISOString(),
    });
  });

  test('refuses tokens of other clients, forged ones and none, writes nothing, and drops nobody', async () => {
    const socket = await openAs(kind, partner);
    await expectOpen(socket);
    const before = await connectionsOf(partner);
    const foreign = forbidden('token', 'is not of the client that opened the socket');
    for (const other of [colleague, stranger]) expect(await authenticate(socket, other.newToken())).toEqual(foreign);
    const { unsigned, signedByAnother, withMoreScopes } = await forgeries(await partner.token());
    for (const forged of [unsigned, signedByAnother, withMoreScopes, 'none'])
      expect(await authenticate(socket, forged)).toEqual({
        type: 'error',
        code: 'unauthorized',
        error: 'Unauthorized',
      });
    for (const message of [{}, { token: 7 }, { token: '' }, { token: 'x', scope: 'x' }])
      expect(await ask(socket, { action: 'authenticate', ...message })).toMatchObject({ code: 'invalid_request' });
    const ends = (items: Record<string, unknown>[]) => items.map(({ channel, expiresAt }) => [channel, expiresAt]);
    expect(ends(await connectionsOf(partner))).toEqual(ends(before));
    await expectOpen(socket);
  });

  test('closes it when the token lacks its scope, and says which', async () => {
    await tokenWith(changing, scopes);
    const socket = await openAs(kind, changing);
    const needed: readonly Scope[] =
      kind === 'telemetry' ? ['stream:publish', 'resources:read'] : [channels[kind as Channel['kind']].scope];
    const token = await tokenWith(
      changing,
      scopes.filter((scope) => !needed.includes(scope)),
    );
    expect(await authenticate(socket, token)).toEqual(forbidden('token', `needs scope ${needed.join(' or ')}`));
    expect(await socket.closed).toMatchObject({ code: 1000 });
    await until('removing it', gone(changing));
  });
});

test('a status channel goes on after the end of its first token, and one that was not renewed is closed', async () => {
  const channel = await givenChannel.job();
  const [renewed, left] = [await follow(partner, channel), await follow(partner, channel)];
  await Promise.all([renewed.first(1), left.first(1)]);
  await endTheirToken(partner, async () => {
    expect(await authenticate(renewed, partner.newToken())).toMatchObject({ type: 'authenticated' });
  });
  await partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId: channel.id }, body: { status: 'QUEUED' } });
  await renewed.like({ jobState: 'QUEUED' });
  expect(await left.closed).toMatchObject({ code: 1000 });
  expect(left.messages.some(({ jobState }) => jobState === 'QUEUED')).toBe(false);
  await expectOpen(renewed);
});

test('a telemetry socket goes on after the end of its first token, with its subscriptions and in every function', async () => {
  const [renewed, left] = [await openTelemetry(partner), await openTelemetry(partner)];
  for (const socket of [renewed, left]) await subscribeTo(socket, { deviceId });
  await publish(renewed, sampleOf(deviceId));
  await endTheirToken(partner, async () => {
    expect(await authenticate(renewed, partner.newToken())).toMatchObject({ type: 'authenticated' });
  });
  const samples = [sampleOf(deviceId), sampleOf(deviceId)];
  await publish(renewed, ...samples);
  expect(await left.closed).toMatchObject({ code: 1000 });
  for (const { timestamp } of samples) await renewed.like({ timestamp });
  expect(samplesIn(left, deviceId)).toHaveLength(1);
  await subscribeTo(renewed, { deviceGroupId });
  await until('removing the one that was left', async () => {
    const ends = (await connectionsOf(partner)).map(({ expiresAt }) => Number(expiresAt) * 1000);
    return Math.min(...ends) > Date.now() + 60_000 ? true : undefined;
  });
});

describe('a telemetry socket whose new token has other scopes', () => {
  test('may do more at once, and less at once where it lasts', async () => {
    const socket = await openWith(changing, ['resources:read']);
    const lacks = (scope: string) => forbidden('action', `needs scope ${scope}`);
    const telemetry = () => sampleOf(deviceId);
    expect(await ask(socket, { action: 'publish', telemetry: telemetry() })).toEqual(lacks('stream:publish'));
    await authenticate(socket, tokenWith(changing, ['resources:read', 'stream:publish']));
    await subscribeTo(socket, { deviceId });
    const seen = telemetry();
    await publish(socket, seen);
    await socket.like({ timestamp: seen.timestamp });

    const narrower = await authenticate(socket, tokenWith(changing, ['stream:publish']));
    expect(narrower).toMatchObject({ type: 'authenticated', subscriptionsEnded: true });
    expect(await ask(socket, { action: 'subscribe', deviceId })).toEqual(lacks('resources:read'));
    const unseen = telemetry();
    await publish(socket, unseen);
    await quiet();
    expect(samplesIn(socket, deviceId).map(({ timestamp }) => timestamp)).toEqual([seen.timestamp]);
    await expectOpen(socket);
  });
});

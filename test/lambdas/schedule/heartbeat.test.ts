import { DeleteConnectionCommand, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { DeleteCommand, GetCommand, ScanCommand } from '../../../data/store/document-client';
import type { Follower } from '../../../data/connections/followers';
import { handler } from '../../../lambdas/schedule/heartbeat';
import { connection, gone, said, sockets } from '../../data/fixtures/sockets';
import { store } from '../../data/fixtures/store';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';
import { partner as kept } from '../fixtures/partner';

const beat = '{"type":"heartbeat"}';
const partner = (clientId: string, status = 'active') => ({ ...kept, clientId, status });
const numbered = (number: number, change: Partial<Follower> = {}): Follower => ({
  ...connection({ connectionId: `socket-${number}` }),
  ...change,
});
const scanned = (...Items: object[]) => store.on(ScanCommand).resolves({ Items });
/** A full minute that is the one in four in which everybody is spoken to. */
const EVERYONE = 1_795_776_000_000;
/** Lets the heartbeat run so many minutes after that. */
const beatAfter = async (minutes: number) => {
  jest.spyOn(Date, 'now').mockReturnValue(EVERYONE + minutes * 60_000);
  await handler();
};
const seconds = (ms: number) => Math.floor(ms / 1000);
const opened = (secondsAgo: number, minutes = 0) => ({
  openedAt: seconds(EVERYONE) + minutes * 60 - secondsAgo,
  expiresAt: seconds(EVERYONE) + 3600,
});

beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(EVERYONE);
  store.onAnyCommand().resolves({});
  store.on(GetCommand).resolves({ Item: partner('client1') });
});

test('Every open socket hears a heartbeat, and each client is looked up once.', async () => {
  const key = { channel: 'x', connectionId: 'y' };
  store
    .on(ScanCommand)
    .resolvesOnce({ Items: [numbered(1), numbered(2)], LastEvaluatedKey: key })
    .resolves({ Items: [numbered(3)] });
  await handler();
  expect(said().toSorted()).toEqual([1, 2, 3].map((number) => `socket-${number} ${beat}`));
  expect(store).toHaveReceivedCommandTimes(GetCommand, 1);
});

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  'In minute %d every socket is spoken to only if it is one in four, which leaves eight of ten when a run is missed.',
  async (minutes) => {
    scanned(numbered(1, opened(600, minutes)));
    await beatAfter(minutes);
    expect(said()).toHaveLength(minutes % 4 === 0 ? 1 : 0);
  },
);

test('A socket that is new is spoken to in the run after its first minute, whichever that is.', async () => {
  for (const minutes of [1, 2, 3]) {
    scanned(numbered(1, opened(60, minutes)), numbered(2, opened(61, minutes)), numbered(3, opened(131, minutes)));
    await beatAfter(minutes);
    expect(said()).toEqual([`socket-2 ${beat}`]);
    sockets.resetHistory();
  }
});

test('A socket whose handshake may go on is left alone.', async () => {
  scanned(numbered(1, opened(60)), numbered(2, { ...opened(5), clientId: 'client2' }));
  await handler();
  expect(said()).toEqual([]);
  expect(store).not.toHaveReceivedCommand(GetCommand);
});

test('A telemetry socket is spoken to once for all that it follows.', async () => {
  const channels = ['session#socket-1', `telemetry#${id('device')}`, `telemetry#${id('group')}`];
  scanned(...channels.map((channel) => numbered(1, { channel, session: true })));
  await handler();
  expect(said()).toEqual([`socket-1 ${beat}`]);
});

describe('A socket that waits for the state', () => {
  const waiting = (secondsAgo: number) => ({ waits: seconds(EVERYONE) - secondsAgo });

  test('for more than a minute is closed, so that its client comes back: whoever was to tell it has died.', async () => {
    scanned(numbered(1, waiting(61)));
    await handler();
    expect(said()).toEqual(['socket-1 closed']);
    expect(store).toHaveReceivedCommandTimes(DeleteCommand, 1);
  });

  test('no longer than a minute is left alone.', async () => {
    scanned(numbered(1, waiting(60)), numbered(2, waiting(0)));
    await handler();
    expect(said()).toEqual([]);
  });

  test('in any minute is found.', async () => {
    scanned(numbered(1, waiting(61 - 60)));
    await beatAfter(1);
    expect(said()).toEqual(['socket-1 closed']);
  });
});

test('A socket that left without a word is forgotten.', async () => {
  scanned(numbered(1), numbered(2));
  sockets.on(PostToConnectionCommand, { ConnectionId: 'socket-1' }).rejects(gone());
  await handler();
  expect(said()).toHaveLength(2);
  expect(store).toHaveReceivedCommandTimes(DeleteCommand, 1);
  expect(store).toHaveReceivedCommandWith(DeleteCommand, {
    Key: { channel: connection().channel, connectionId: 'socket-1' },
  });
});

test('A socket whose token has ended is closed in any minute, and nobody is looked up for it.', async () => {
  scanned(numbered(1, { expiresAt: seconds(EVERYONE) + 60 }));
  await beatAfter(1);
  expect(said()).toEqual(['socket-1 closed']);
  expect(store).not.toHaveReceivedCommand(GetCommand);
});

test.each([
  ['has been suspended', partner('client2', 'suspended')],
  ['is there no more', undefined],
])('The sockets of a partner that %s are closed, and no others.', async (_, Item) => {
  store.on(GetCommand, { Key: { clientId: 'client2' } }).resolves(Item ? { Item } : {});
  scanned(numbered(1, { clientId: 'client2' }), numbered(2), numbered(3, { clientId: 'client2' }));
  await handler();
  expect(said().toSorted()).toEqual(['socket-1 closed', `socket-2 ${beat}`, 'socket-3 closed']);
});

test.each([
  ['is suspended', { status: 'suspended' }, 'closed'],
  ['is active again', { status: 'active' }, beat],
  ['was registered before there was a status', {}, beat],
])('A viewer of a share whose organisation %s: %#.', async (_, organisation, heard) => {
  const viewer = (number: number, change = {}) =>
    numbered(number, {
      ...{ clientId: undefined, session: true, openedAt: 1, shareCode: id('share') },
      ...{ channel: `session#socket-${number}`, ...change },
    });
  const known = { organisation: acme, name: 'Acme', createdAt: 'x', ...organisation };
  store.on(GetCommand, { Key: { clientId: `org-${acme}` } }).resolves({ Item: known });
  store.on(GetCommand, { Key: { clientId: `org-${rival}` } }).resolves({ Item: { status: 'active' } });
  scanned(viewer(1), viewer(2), viewer(3, { shareCode: id('share', rival) }));
  await handler();
  expect(said().toSorted()).toEqual([`socket-1 ${heard}`, `socket-2 ${heard}`, `socket-3 ${beat}`]);
  expect(store).toHaveReceivedCommandTimes(GetCommand, 2);
});

test('A socket in trouble, or a partner that can not be read, keeps no other from its heartbeat.', async () => {
  store.on(GetCommand, { Key: { clientId: 'client2' } }).rejects(new Error('throttled'));
  const broken = Object.assign(new Error('busy'), { name: 'LimitExceededException' });
  sockets.on(PostToConnectionCommand).rejects(broken);
  sockets.on(DeleteConnectionCommand).rejects(broken);
  sockets.on(PostToConnectionCommand, { ConnectionId: 'socket-3' }).resolves({});
  scanned(numbered(1, { clientId: 'client2' }), numbered(2), numbered(3));
  await handler();
  expect(said()).toContain(`socket-3 ${beat}`);
  expect(said().filter((line) => line.startsWith('socket-1'))).toEqual([]);
  expect(
    logLines()
      .map(({ level, connectionId }) => [level, connectionId])
      .toSorted(),
  ).toEqual([
    ['WARN', 'socket-1'],
    ['WARN', 'socket-2'],
  ]);
});

test('Connections that can not be read are an error.', async () => {
  store.on(ScanCommand).rejects(new Error('throttled'));
  await expect(handler()).rejects.toThrow('throttled');
});

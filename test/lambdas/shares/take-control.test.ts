import { digestShareCode, viewerPseudonym } from '../../../data/shares/share-id';
import { handler as command } from '../../../lambdas/shares/control.lambda';
import { handler as disconnect } from '../../../lambdas/channels/disconnect.lambda';
import { handler as release } from '../../../lambdas/shares/release-control.lambda';
import { handler as take } from '../../../lambdas/shares/take-control.lambda';
import { storeOnEngine } from '../../data/fixtures/engine';
import { acme, id } from '../../domain/fixtures/samples';
import { refused } from '../fixtures/actions';
import { commandedDevice, commandsIn } from '../fixtures/commands';
import '../fixtures/log';
import { newSocket, sendMessage } from '../fixtures/socket';
import { shareItem, viewerSession } from '../fixtures/telemetry';

const engine = storeOnEngine('fleet', 'shares', 'partners', 'requests', 'commands', 'connections');

const now = '2026-11-27T10:30:00.000Z';
const until = '2026-11-27T10:31:00.000Z';
const otherShare = id('share', acme, '01jd0000000000000000000009');
const headKey = { deviceId: id('device'), commandId: 'head' };

beforeEach(async () => {
  jest.useFakeTimers({ now: new Date(now), doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout'] });
  await engine.put('fleet', commandedDevice());
  for (const shareCode of [id('share'), otherShare]) await givenShare({ shareCode });
});
afterEach(() => {
  jest.useRealTimers();
});

const givenShare = (change: object) =>
  engine.put(
    'shares',
    shareItem({ permissions: ['view', 'control'], commands: ['GO_TO', 'PAUSE', 'LAND'], ...change }),
  );

/** A viewer of a share. */
async function viewer(shareCode = id('share')): Promise<string> {
  const connectionId = newSocket();
  const session = viewerSession({ connectionId, shareCode, permissions: ['view', 'control'] });
  await engine.put('connections', { ...session, channel: `session#${connectionId}`, socketId: connectionId });
  return connectionId;
}
const ask = (handler: unknown, socket: string, action: string, more: object = {}) =>
  sendMessage(handler, socket, { action, id: 1, ...more });
const taking = (socket: string) => ask(take, socket, 'takeControl');
const releasing = (socket: string) => ask(release, socket, 'releaseControl');
const place = { type: 'Point', coordinates: [8.5417, 47.3769] };
const flying = (socket: string) => ask(command, socket, 'control', { command: { name: 'GO_TO', position: place } });
const telling = (socket: string, name: string) => ask(command, socket, 'control', { command: { name } });
const taken = { type: 'control.taken', until, id: 1 };
const released = { type: 'control.released', id: 1 };
const heldBy = (who: string) => ({
  ...refused('held_by', { path: '', message: `the device is held by ${who} until ${until}` }),
  id: 1,
});
const accepted = { type: 'accepted', id: 1 };
const givenHolder = (control: object | undefined) =>
  engine.put('commands', { ...headKey, sequence: 4, revision: 7, control });
const client = { origin: 'partner', heldBy: 'client1', until };
const control = async () => (await engine.get('commands', headKey))?.['control'];

test('one viewer holds the drone, by a pseudonym; another one is refused but for PAUSE', async () => {
  const [holder, other] = [await viewer(), await viewer(otherShare)];
  expect(await taking(holder)).toEqual(taken);
  expect(await control()).toEqual({
    origin: 'share',
    heldBy: viewerPseudonym(holder),
    shareId: digestShareCode(id('share')),
    shareCode: id('share'),
    until,
  });
  for (const answer of [await taking(other), await releasing(other), await flying(other), await telling(other, 'LAND')])
    expect(answer).toEqual(heldBy('another viewer'));
  expect(await telling(other, 'PAUSE')).toMatchObject(accepted);
  expect(await flying(holder)).toMatchObject(accepted);
  expect((await commandsIn(engine)).map(({ name }) => name)).toEqual(['PAUSE', 'GO_TO']);
});

test('a viewer renews it, and gives it back', async () => {
  const [holder, other] = [await viewer(), await viewer()];
  await taking(holder);
  jest.setSystemTime(new Date('2026-11-27T10:30:30.000Z'));
  expect(await taking(holder)).toEqual({ ...taken, until: '2026-11-27T10:31:30.000Z' });
  for (let times = 0; times < 2; times += 1) expect(await releasing(holder)).toEqual(released);
  expect(await flying(other)).toMatchObject(accepted);
});

test('it ends when it is not renewed', async () => {
  const [holder, other] = [await viewer(), await viewer()];
  await taking(holder);
  jest.setSystemTime(new Date(until));
  expect(await flying(other)).toMatchObject(accepted);
  expect(await taking(other)).toMatchObject({ type: 'control.taken' });
});

test('a viewer is refused against a client, and learns of no client', async () => {
  await givenHolder(client);
  const socket = await viewer();
  for (const answer of [
    await taking(socket),
    await releasing(socket),
    await flying(socket),
    await telling(socket, 'LAND'),
  ])
    expect(answer).toEqual(heldBy('the partner'));
  expect(await telling(socket, 'PAUSE')).toMatchObject(accepted);
  expect(await control()).toEqual(client);
});

test('it ends with its share', async () => {
  const [holder, other] = [await viewer(), await viewer(otherShare)];
  await taking(holder);
  await engine.answers('DeleteCommand')({ TableName: 'shares', Key: { organisation: acme, shareCode: id('share') } });
  expect(await flying(other)).toMatchObject(accepted);
  expect(await taking(other)).toEqual(taken);
});

const closing = (connectionId: string) => disconnect({ requestContext: { connectionId } } as never);

test('it ends with its socket', async () => {
  const [holder, other] = [await viewer(), await viewer(otherShare)];
  await taking(holder);
  await closing(holder);
  expect(await control()).toBeUndefined();
  expect(await flying(other)).toMatchObject(accepted);
  expect(await engine.all('connections')).toMatchObject([{ connectionId: other }]);
});

test.each([
  ['the partner has taken', client],
  ['another viewer has taken', { origin: 'share', heldBy: 'viewer-2', shareCode: otherShare, until }],
  ['nobody holds any more', undefined],
])('the end of a socket leaves what %s', async (_, holder) => {
  const socket = await viewer();
  await taking(socket);
  await givenHolder(holder);
  await closing(socket);
  expect(await engine.get('commands', headKey)).toEqual({
    ...headKey,
    sequence: 4,
    revision: 7,
    ...(holder && { control: holder }),
  });
});

test('the end of a socket that never held a drone reads no head', async () => {
  const socket = await viewer();
  await givenHolder({ ...client, heldBy: viewerPseudonym(socket) });
  await closing(socket);
  expect(await control()).toMatchObject({ heldBy: viewerPseudonym(socket) });
});

const notPermitted = {
  ...refused('forbidden', { path: '', message: 'the share does not permit this, or it has ended' }),
  id: 1,
};
test.each([
  ['permits viewing only', () => givenShare({ permissions: ['view'] })],
  ['has expired', () => givenShare({ expiresAt: '2026-01-01T00:00:00.000Z' })],
  ['is of a suspended organisation', () => engine.put('partners', { clientId: `org-${acme}`, status: 'suspended' })],
])('a viewer whose share %s can’t hold the drone', async (_, given) => {
  await given();
  expect(await taking(await viewer())).toEqual(notPermitted);
  expect(await control()).toBeUndefined();
});

test('the viewers of a share take it 60 times a minute at most', async () => {
  const socket = await viewer();
  const start = Date.parse(now) / 1000;
  await engine.put('requests', { id: `calls#lease#${digestShareCode(id('share'))}#${start}`, calls: 59, ttl: 9e9 });
  expect(await taking(socket)).toEqual(taken);
  expect(await taking(socket)).toMatchObject({ code: 'too_many_requests' });
});

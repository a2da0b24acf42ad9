import { CONTROLS_PER_MINUTE, UNCOUNTED_REFUSALS_PER_MINUTE } from '../../../contract/terms/rates';
import { jobToItem as toJobItem } from '../../../data/jobs/jobs';
import { counterKey } from '../../../data/access/rate-limit';
import { digestShareCode } from '../../../data/shares/share-id';
import { handler } from '../../../lambdas/shares/control.lambda';
import { storeOnEngine } from '../../data/fixtures/engine';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { refused } from '../fixtures/actions';
import { commandedDevice, commandsIn } from '../fixtures/commands';
import { logLines, written } from '../fixtures/log';
import { newSocket, sendMessage } from '../fixtures/socket';
import { shareItem, viewerSession } from '../fixtures/telemetry';

const engine = storeOnEngine('fleet', 'jobs', 'shares', 'partners', 'requests', 'commands', 'connections');

/** A viewer of a share; the socket's session says what it permitted when it was opened. */
async function viewer(shareCode = id('share')): Promise<string> {
  const connectionId = newSocket();
  const session = viewerSession({ connectionId, shareCode, permissions: ['view', 'control'] });
  await engine.put('connections', { ...session, channel: `session#${connectionId}`, connectionId });
  return connectionId;
}
const givenShare = (change: object = {}) =>
  engine.put('shares', shareItem({ permissions: ['view', 'control'], ...change }));
const send = (socket: string, command: object) => sendMessage(handler, socket, { action: 'control', command, id: 1 });
const notPermitted = {
  ...refused('forbidden', { path: '', message: 'the share does not permit this, or it has ended' }),
  id: 1,
};
const accepted = { type: 'accepted', requestId: expect.stringMatching(/^command-acme0001-/) as string, id: 1 };

test('a viewer’s command is one of the device, by a pseudonym', async () => {
  await givenShare();
  await engine.put('fleet', commandedDevice());
  const socket = await viewer();
  const answer = await send(socket, { name: 'PAUSE' });
  expect(answer).toEqual(accepted);
  const [command, ...others] = await commandsIn(engine);
  expect(others).toEqual([]);
  expect(command).toMatchObject({
    commandId: answer['requestId'],
    deviceId: id('device'),
    jobId: id('job'),
    name: 'PAUSE',
    origin: 'share',
    requestedBy: expect.stringMatching(/^viewer-[0-9a-f]{12}$/) as string,
    shareId: digestShareCode(id('share')),
    sequence: 1,
  });
  const line = { commandId: answer['requestId'], shareId: digestShareCode(id('share')), connectionId: socket };
  expect(logLines()).toMatchObject([{ level: 'INFO', message: 'control', ...line }]);
  for (const secret of [id('share'), 'PAUSE']) expect(written.join('')).not.toContain(secret);
});

test('a name of before is passed on with its parameters, whatever the device does', async () => {
  await givenShare();
  await engine.put('fleet', commandedDevice('DOCKED'));
  expect(await send(await viewer(), { name: 'HOVER', altitude: 40 })).toEqual(accepted);
  expect(await commandsIn(engine)).toMatchObject([{ name: 'HOVER', parameters: { altitude: 40 } }]);
});

test.each([
  ['without a list', {}, 'RETURN_HOME', true],
  ['without a list', {}, 'LAND', false],
  ['that names it', { commands: ['LAND'] }, 'LAND', true],
  ['that does not name it', { commands: ['LAND'] }, 'PAUSE', false],
  ['of viewing only, with a list', { permissions: ['view'], commands: ['LAND'] }, 'LAND', false],
])('of a share %s: %j %s is permitted: %s', async (_, share, name, isPermitted) => {
  await givenShare(share);
  await engine.put('fleet', commandedDevice());
  expect(await send(await viewer(), { name })).toEqual(isPermitted ? accepted : notPermitted);
  expect(await commandsIn(engine)).toHaveLength(isPermitted ? 1 : 0);
});

test.each([
  ['parameters of another', { name: 'PAUSE', height: 3 }, [{ path: 'command.height', message: 'unknown field' }]],
  ['no position', { name: 'GO_TO' }, [{ path: 'command.position', message: 'is required' }]],
  ['a job of its own', { name: 'LAND', jobId: id('job') }, [{ path: 'command.jobId', message: 'unknown field' }]],
])('a known name with %s is refused', async (_, command, details) => {
  await givenShare({ commands: ['PAUSE', 'GO_TO', 'LAND'] });
  await engine.put('fleet', commandedDevice());
  expect(await send(await viewer(), command)).toEqual({ ...refused('invalid_request', ...details), id: 1 });
  expect(await commandsIn(engine)).toEqual([]);
});

test.each([
  ['that is one in another case', '{"name":"Return_home"}', 'command.name'],
  ['with a member that is lost', '{"name":"HOVER","__proto__":{"height":3}}', 'command.__proto__'],
])('a name of before %s is refused with its path', async (_, command, path) => {
  await givenShare();
  await engine.put('fleet', commandedDevice());
  const answer = await send(await viewer(), JSON.parse(command) as object);
  expect(answer).toMatchObject({ code: 'invalid_request', details: [{ path }], id: 1 });
  expect(await commandsIn(engine)).toEqual([]);
});

test('a command that the device can’t be told now is refused with the reason', async () => {
  await givenShare();
  await engine.put('fleet', commandedDevice('DOCKED'));
  const detail = { path: 'name', message: 'the device is on the ground' };
  expect(await send(await viewer(), { name: 'PAUSE' })).toEqual({ ...refused('cannot_command', detail), id: 1 });
});

test.each(['PAUSE', 'RETURN_HOME'])(
  '%s comes through to a device whose job was begun since it reported',
  async (name) => {
    await givenShare();
    await engine.put('fleet', commandedDevice('DOCKED'));
    await engine.put('jobs', toJobItem(acme, sampleJob({ status: 'IN_PROGRESS', deviceId: id('device') })));
    expect(await send(await viewer(), { name })).toMatchObject({ type: 'accepted' });
    expect(await commandsIn(engine)).toMatchObject([{ name, jobId: id('job') }]);
  },
);

test('a stop that two viewers of a share send at once is one, of which both hear', async () => {
  await givenShare();
  await engine.put('fleet', commandedDevice());
  const answers = [await send(await viewer(), { name: 'PAUSE' }), await send(await viewer(), { name: 'PAUSE' })];
  const [command, ...others] = await commandsIn(engine);
  expect(others).toEqual([]);
  expect(answers).toMatchObject(Array(2).fill({ type: 'accepted', requestId: command?.commandId }));
});

test.each([
  ['permits viewing only', () => givenShare({ permissions: ['view'] })],
  ['has been revoked', () => Promise.resolve()],
  ['has expired', () => givenShare({ expiresAt: '2026-01-01T00:00:00.000Z' })],
  [
    'is of a suspended organisation',
    async () => {
      await givenShare();
      await engine.put('partners', { clientId: `org-${acme}`, status: 'suspended' });
    },
  ],
])('a viewer whose share %s is refused, whatever it permitted when the socket was opened', async (_, given) => {
  await given();
  await engine.put('fleet', commandedDevice());
  expect(await send(await viewer(), { name: 'PAUSE' })).toEqual(notPermitted);
  expect(await commandsIn(engine)).toEqual([]);
});

describe('is limited', () => {
  beforeEach(() => {
    jest.useFakeTimers({
      now: new Date('2026-11-27T10:30:00.000Z'),
      doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout'],
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const shareNumbered = (unique: number) => id('share', acme, `01jd00000000000000000000${unique}`);
  const watching = async (unique: number) => {
    await givenShare({ shareCode: shareNumbered(unique) });
    return viewer(shareNumbered(unique));
  };
  const answers = async (times: number, socket: string, name = 'TAKE_PHOTO') => {
    const given: unknown[] = [];
    for (let count = 0; count < times; count += 1) given.push((await send(socket, { name }))['type']);
    return given;
  };
  const all = (times: number) => Array<string>(times).fill('accepted');

  test('to 30 a minute over one share', async () => {
    await engine.put('fleet', commandedDevice());
    const socket = await watching(10);
    expect(await answers(30, socket)).toEqual(all(30));
    expect(await answers(2, socket)).toEqual(['error', 'error']);
    jest.setSystemTime(new Date('2026-11-27T10:31:00.000Z'));
    expect(await answers(1, socket)).toEqual(all(1));
  });

  test.each([
    ['PAUSE', 50],
    ['RETURN_HOME', 51],
    ['LAND', 52],
  ])('and whatever others have sent, each viewer has its own %s', async (name, minute) => {
    jest.setSystemTime(new Date(`2026-11-27T10:${minute}:00.000Z`));
    await engine.put('fleet', commandedDevice());
    const commands = ['TAKE_PHOTO', 'PAUSE', 'RETURN_HOME', 'LAND'];
    await givenShare({ shareCode: shareNumbered(14), commands });
    const [one, other] = [await viewer(shareNumbered(14)), await viewer(shareNumbered(14))];
    expect(await answers(31, one)).toEqual([...all(30), 'error']);
    expect(await answers(31, one, name)).toEqual([...all(30), 'error']);
    expect(await answers(1, other)).toEqual(['error']);
    expect(await answers(1, other, name)).toEqual(all(1));
  });

  test('to 300 stops a minute of a share, however many sockets are opened, without the first of each', async () => {
    jest.setSystemTime(new Date('2026-11-27T10:55:00.000Z'));
    await engine.put('fleet', commandedDevice());
    await givenShare({ shareCode: shareNumbered(15) });
    const counted = counterKey(`stop#${digestShareCode(shareNumbered(15))}`, Date.now() / 1000);
    await engine.put('requests', { ...counted, calls: CONTROLS_PER_MINUTE.stopsOfShare - 2 });
    expect(await answers(6, await viewer(shareNumbered(15)), 'PAUSE')).toEqual([...all(5), 'error']);
    expect(await answers(4, await viewer(shareNumbered(15)), 'PAUSE')).toEqual([...all(3), 'error']);
  });

  test.each([
    ['PAUSE', 20],
    ['RETURN_HOME', 21],
    ['LAND', 22],
  ])('but three %s of a viewer come through when the others have sent all of the share', async (name, minute) => {
    jest.setSystemTime(new Date(`2026-11-27T10:${minute}:00.000Z`));
    await engine.put('fleet', commandedDevice());
    const commands = ['PAUSE', 'RETURN_HOME', 'LAND'];
    await givenShare({ shareCode: shareNumbered(16), commands });
    const counted = counterKey(`stop#${digestShareCode(shareNumbered(16))}`, Date.now() / 1000);
    await engine.put('requests', { ...counted, calls: CONTROLS_PER_MINUTE.stopsOfShare });
    for (let viewers = 0; viewers < 3; viewers += 1)
      expect(await answers(4, await viewer(shareNumbered(16)), name)).toEqual([...all(3), 'error']);
  });

  test.each(['PAUSE', 'RETURN_HOME', 'LAND'])('not by a %s that the device refused', async (name) => {
    jest.setSystemTime(new Date('2026-11-27T10:25:00.000Z'));
    await engine.put('fleet', commandedDevice('DOCKED'));
    await givenShare({ shareCode: shareNumbered(17), commands: [name] });
    const counted = counterKey(`stop#${digestShareCode(shareNumbered(17))}`, Date.now() / 1000);
    await engine.put('requests', { ...counted, calls: 7 });
    const socket = await viewer(shareNumbered(17));
    expect(await answers(40, socket, name)).toEqual(Array(40).fill('error'));
    expect(await send(socket, { name })).toMatchObject({ code: 'cannot_command' });
    expect(await engine.get('requests', counted)).toMatchObject({ calls: 7 });
    await engine.put('fleet', commandedDevice());
    expect(await answers(31, socket, name)).toEqual([...all(30), 'error']);
  });

  test('by a stop that the device refused, after 300 of them, and says why it refused', async () => {
    jest.setSystemTime(new Date('2026-11-27T10:26:00.000Z'));
    await engine.put('fleet', commandedDevice('DOCKED'));
    const socket = await watching(18);
    const counted = counterKey(`refused#${digestShareCode(shareNumbered(18))}`, Date.now() / 1000);
    await engine.put('requests', { ...counted, calls: UNCOUNTED_REFUSALS_PER_MINUTE });
    expect(await send(socket, { name: 'PAUSE' })).toMatchObject({ code: 'cannot_command' });
    expect(await answers(29, socket, 'PAUSE')).toEqual(Array(29).fill('error'));
    expect(await send(socket, { name: 'PAUSE' })).toMatchObject({ code: 'too_many_requests' });
  });

  test('to 60 a minute per device over all of its shares, but for what keeps it from harm', async () => {
    jest.setSystemTime(new Date('2026-11-27T10:40:00.000Z'));
    await engine.put('fleet', commandedDevice());
    for (const unique of [11, 12]) expect(await answers(30, await watching(unique))).toEqual(all(30));
    const third = await watching(13);
    expect(await answers(1, third)).toEqual(['error']);
    expect(await answers(2, third, 'PAUSE')).toEqual(all(2));
  });
});

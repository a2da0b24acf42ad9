import { countedEndpoints } from '../../../contract/limits';
import * as rates from '../../../contract/terms/rates';
import { HANDSHAKE, MAX_CONNECTIONS } from '../../../contract/channels/status-channels';
import { HANDSHAKES_PER_MINUTE } from '../../../contract/terms/rates';
import { stopLimits, type StopLimit, type StopLimitName } from '../../../contract/stop-limits';
import { clientSeats, formatSeat, seatsKey, shareSeats } from '../../../data/store/seats';
import { callCounter, counterKey } from '../../../data/access/rate-limit';
import { digestShareCode } from '../../../data/shares/share-id';
import { newLease } from '../../../domain/commands/control-lease';
import { stopNames } from '../../../domain/commands/stops';
import { viewerHandshakesPerMinute } from '../../../domain/shares/share';
import { callSeat } from '../../../domain/values/call-seats';
import { MAX_WAITING_OF_CLIENT } from '../../../domain/events/waiting-seats';
import { handler as sendCommand } from '../../../lambdas/commands/send-command.lambda';
import { handler as control } from '../../../lambdas/shares/control.lambda';
import { storeOnEngine } from '../../data/fixtures/engine';
import { acme, id } from '../../domain/fixtures/samples';
import { refused } from '../fixtures/actions';
import { call, request } from '../fixtures/api-gateway';
import { commandedDevice } from '../fixtures/commands';
import '../fixtures/log';
import { newSocket, sendMessage } from '../fixtures/socket';
import { partnerSession, shareItem, viewerSession } from '../fixtures/telemetry';

const engine = storeOnEngine('fleet', 'jobs', 'shares', 'partners', 'requests', 'commands', 'connections');
jest.setTimeout(60_000);

const COMMANDS = 'POST /v3/devices/{deviceId}/commands';
const [shareCode, deviceId] = [id('share'), id('device')];
const shareId = digestShareCode(shareCode);

const sendByRest = (name: string) =>
  call(sendCommand, { scopes: ['command:control'], path: { deviceId }, body: { name } }, 50_000);

/** A socket of a viewer. */
async function openViewer(): Promise<string> {
  const connectionId = newSocket();
  const session = viewerSession({ connectionId, shareCode, permissions: ['view', 'control'] });
  await engine.put('connections', { ...session, channel: `session#${connectionId}`, connectionId });
  return connectionId;
}
const sendByViewer = async (name: string, socket?: string) =>
  sendMessage(control, socket ?? (await openViewer()), { action: 'control', command: { name } });

const seconds = () => Math.floor(Date.now() / 1000);
const counted = (subject: string, calls: number) =>
  engine.put('requests', { ...counterKey(subject, seconds() - (seconds() % 60)), calls });
const givenHead = (head: object) =>
  engine.put('commands', { deviceId, commandId: 'head', sequence: 1, revision: 1, ...head });
const seats = (count: number) =>
  new Set(
    Array.from({ length: count }, (_, index) =>
      formatSeat({ connectionId: `other-${index}`, openedAt: seconds(), expiresAt: seconds() + 3600 }),
    ),
  );

/** The limits of this service: those of AWS are not here. */
type OwnLimit = Exclude<StopLimitName, `AWS: ${string}`>;

/** How others, or other acts, use up each limit. */
const useUp: Readonly<Record<OwnLimit, () => Promise<unknown>>> = {
  'commands of a client': () => counted(callCounter('client1', COMMANDS), rates.COMMANDS_PER_MINUTE),
  'commands to a device': () =>
    givenHead({ counted: { start: seconds() - (seconds() % 60), calls: rates.COMMANDS_OF_DEVICE_PER_MINUTE } }),
  'commands to a device at the same moment': () => {
    for (let other = 0; other < 30; other += 1) others.push(sendByRest('TAKE_PHOTO'));
    return Promise.resolve();
  },
  'control of a device': () =>
    givenHead({ control: newLease({ origin: 'partner', heldBy: 'client2' }, new Date().toISOString()) }),
  'commands of viewers': async () => {
    await counted(`control#${shareId}`, rates.CONTROLS_PER_MINUTE.share);
    await counted(`control#${deviceId}`, rates.CONTROLS_PER_MINUTE.device);
  },
  'stops of viewers': () => counted(`stop#${shareId}`, rates.CONTROLS_PER_MINUTE.stopsOfShare),
  '`takeControl` of viewers': () => counted(`lease#${shareId}`, rates.CONTROL_TAKEN_PER_MINUTE),
  'other requests of a client': async () => {
    for (const { operation, limit } of countedEndpoints)
      if (operation !== COMMANDS) await counted(callCounter('client1', operation), limit);
    const waiting = Array.from({ length: MAX_WAITING_OF_CLIENT }, (_, n) => callSeat(Date.now() + 20_000, `${n}`));
    await engine.put('requests', { id: 'waiting#client#client1', seats: new Set(waiting) });
  },
  'mission files of an organisation at the same time': () =>
    engine.put('requests', { id: `files#${acme}`, seats: new Set([callSeat(Date.now() + 10_000, 'file')]) }),
  'connections and handshakes of a client': async () => {
    await counted(callCounter('client1', HANDSHAKE), HANDSHAKES_PER_MINUTE);
    await engine.put('connections', { ...seatsKey(clientSeats('client1')), seats: seats(MAX_CONNECTIONS) });
  },
  'viewers of a share, and their handshakes': async () => {
    const { maxViewers } = shareItem();
    await counted(`viewers#${shareId}`, viewerHandshakesPerMinute({ maxViewers }));
    await engine.put('connections', { ...seatsKey(shareSeats(shareCode)), seats: seats(maxViewers) });
  },
  // Counted by AWS: the client has its token.
  'token requests of an API key': () => Promise.resolve(),
};
/** What runs beside the stops. */
const others: Promise<unknown>[] = [];

/** The only stop that a limit keeps from the drone: it ends the flight where the drone is, against the will of who holds it. */
const isException = (limit: string, who: string, name: string) =>
  limit === 'control of a device' && who === 'a viewer' && name === 'LAND';

// An instance remembers what was used up in a minute.
let minutes = 0;
beforeEach(async () => {
  jest.useFakeTimers({
    now: Date.parse('2026-11-27T10:00:10.000Z') + 60_000 * (minutes += 1),
    doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout'],
  });
  // As if the machine were not busy.
  jest.spyOn(performance, 'now').mockReturnValue(0);
  await engine.put('fleet', commandedDevice());
  await engine.put('shares', shareItem({ permissions: ['view', 'control'], commands: [...stopNames, 'TAKE_PHOTO'] }));
});
afterEach(async () => {
  await Promise.all(others.splice(0));
  jest.restoreAllMocks();
  jest.useRealTimers();
});

test('each limit of this service can be used up here, and no other', () => {
  const own = Object.entries<StopLimit>(stopLimits).filter(([, { refusedIn }]) => refusedIn.length > 0);
  expect(Object.keys(useUp)).toEqual(own.map(([name]) => name));
});

const cells = Object.entries(useUp).flatMap(([limit, using]) => stopNames.map((name) => [limit, name, using] as const));

describe.each(cells)('with the %s used up, %s', (limit, name, using) => {
  test('of a client comes through', async () => {
    await using();
    expect(await sendByRest(name)).toMatchObject({ status: 202, body: { command: { name } } });
  });

  test('of a viewer comes through', async () => {
    const socket = await openViewer();
    await using();
    const expected = isException(limit, 'a viewer', name) ? { code: 'held_by' } : { type: 'accepted' };
    expect(await sendByViewer(name, socket)).toMatchObject(expected);
  });
});

test.each(stopNames)('%s of ten clients and ten viewers in turn is one command for each of both', async (name) => {
  for (let count = 0; count < 10; count += 1) {
    expect(await sendByRest(name)).toMatchObject({ status: 202 });
    expect(await sendByViewer(name)).toMatchObject({ type: 'accepted' });
  }
  const commands = (await engine.all('commands')).filter(({ commandId }) => commandId !== 'head');
  expect(commands.map(({ origin }) => origin).sort()).toEqual(['partner', 'share']);
});

test.each(stopNames)('%s comes through in base64, as of a client that says the media type of a file', async (name) => {
  await useUp['commands of a client']();
  const body = Buffer.from(JSON.stringify({ name })).toString('base64');
  const event = request({ scopes: ['command:control'], path: { deviceId }, headers: {}, body });
  const context = { getRemainingTimeInMillis: () => 50_000 };
  const answer: unknown = await sendCommand({ ...event, isBase64Encoded: true }, context as never);
  expect(answer).toMatchObject({ statusCode: 202 });
});

/** Acts that the limit is for: what is used up really is. */
test.each<[OwnLimit, () => Promise<unknown>, object]>([
  ['commands of a client', () => sendByRest('TAKE_PHOTO'), { status: 429 }],
  ['commands to a device', () => sendByRest('TAKE_PHOTO'), { status: 429 }],
  ['control of a device', () => sendByRest('TAKE_PHOTO'), { status: 409 }],
  ['commands of viewers', () => sendByViewer('TAKE_PHOTO'), { code: 'too_many_requests' }],
])('with the %s used up another command is refused', async (limit, send, expected) => {
  await useUp[limit]();
  expect(await send()).toMatchObject(expected);
});

test.each(stopNames)(
  'the socket of an organisation takes no commands, also no %s: its clients send them by REST',
  async (name) => {
    const connectionId = newSocket();
    const session = { ...partnerSession({ connectionId }), channel: `session#${connectionId}` };
    await engine.put('connections', session);
    expect(await sendByViewer(name, connectionId)).toMatchObject(refused('forbidden'));
  },
);

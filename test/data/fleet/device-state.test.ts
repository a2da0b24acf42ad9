import { deviceRecord, type Device } from '../../../domain/fleet/device';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { stateText, storedState } from '../../../data/fleet/state-text';
import {
  markOffline,
  readDevices,
  recordReport,
  saveState,
  saveTrailing,
  type StateWrite,
} from '../../../data/fleet/save-device-state';
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { deviceState } from '../../../domain/telemetry/sample';
import { acme, fullSample, id } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { onlyCommand, store } from '../fixtures/store';

const engine = storeOnEngine('fleet');
const now = new Date('2026-11-27T10:30:00.500Z');
const state = { timestamp: '2026-11-27T10:30:00.123Z', droneState: 'HOVER', sensorPayload: { gas: { ch4: 1.9 } } };
const item = (change: object = {}) => ({
  kind: 'device',
  deviceId: id('device'),
  deviceGroupId: id('group'),
  name: 'Kestrel',
  status: 'online',
  ...change,
});

describe('readDevices', () => {
  const other = id('device', acme, 'x'.repeat(26));

  test("is one consistent read of the organisation's devices with their last state", async () => {
    const found = item({ lastState: JSON.stringify(state), reportedAt: now.toISOString(), version: 4 });
    store.on(BatchGetCommand).resolves({ Responses: { fleet: [found] } });
    const devices = await readDevices(acme, [id('device'), other]);
    expect(devices).toMatchObject([{ deviceId: id('device'), lastState: state, version: 4 }]);
    expect(onlyCommand()).toEqual({
      RequestItems: {
        fleet: { Keys: [id('device'), other].map((each) => fleetKey(acme, each)), ConsistentRead: true },
      },
    });
  });

  test('leaves out other items', async () => {
    const group = { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' };
    store.on(BatchGetCommand).resolves({ Responses: { fleet: [group, item()] } });
    await expect(readDevices(acme, [id('group'), id('device')])).resolves.toHaveLength(1);
  });

  test('fails when DynamoDB left out keys', async () => {
    store.on(BatchGetCommand).resolves({
      Responses: { fleet: [] },
      UnprocessedKeys: { fleet: { Keys: [fleetKey(acme, id('device'))] } },
    });
    await expect(readDevices(acme, [id('device')])).rejects.toThrow('left out keys');
  });
});

const takeOff = { timestamp: '2026-11-27T10:29:00.000Z', altitude: 440 };
const before = { ...fleetKey(acme, id('device')), version: 4, quiet: 'yes' };
const stored = { state: stateText(state), version: 5, quiet: undefined };
/** Half a second ago, which is a turn. */
const turn = '2026-11-27T10:30:00.000Z';
const reportedAt = '2026-11-27T10:29:30.000Z';

type Row = [name: string, before: object | undefined, result: unknown, after?: object];

/** Tests that a call is one write, with these results for these devices; without what it changes, it leaves the item. */
const testWrite = (call: () => Promise<unknown>, rows: readonly Row[]) =>
  test.each(rows)('%s, by one command', async (_, change, result, after = {}) => {
    const found = change && { ...item(), ...before, ...change };
    if (found) await engine.put('fleet', found);
    expect(await call()).toEqual(result);
    expect(await engine.all('fleet')).toEqual(found ? [{ ...found, ...after }] : []);
    expect(store.calls()).toHaveLength(1);
  });
const removed = { kind: 'removed', deviceId: undefined, status: undefined };
const found = (isSaved: boolean, change: object = {}) => ({
  isSaved,
  device: expect.objectContaining(change) as object,
});

describe('saveState', () => {
  const known = deviceRecord.parse(item({ savedAt: turn, version: 4 }));
  const save =
    (more: Partial<StateWrite> = {}, change: Partial<Device> = {}) =>
    () =>
      saveState(
        acme,
        { ...known, ...change },
        {
          kind: 'write',
          reason: 'due',
          savedAt: now.toISOString(),
          state,
          flight: {},
          now,
          isQuiet: false,
          ...more,
        },
      );
  const read = { savedAt: turn };
  const written = { ...stored, reportedAt: now.toISOString(), savedAt: now.toISOString(), transitions: 0 };
  const gone = { isSaved: false, device: undefined };

  describe.each(['due', 'transition'] as const)('for the reason %s', (reason) => {
    const transitions = reason === 'due' ? 0 : 5;
    testWrite(save({ reason }), [
      [
        'writes what it was merged into, and counts transitions',
        { ...read, transitions: 4 },
        found(true, { version: 4, savedAt: turn }),
        { ...written, transitions },
      ],
      ['leaves a device that was written since', { ...read, version: 5 }, found(false, { version: 5 })],
      ['leaves a device of an earlier version', { ...read, version: 3 }, found(false, { version: 3 })],
      ['creates no device', undefined, gone],
      ['leaves a device that was removed', { ...removed, version: 6 }, gone],
    ]);
  });
  describe('of an offline device', () => {
    testWrite(save({}, { status: 'offline' }), [
      [
        'marks it as online',
        { ...read, status: 'offline' },
        found(true),
        { ...written, status: 'online', presentIn: acme },
      ],
    ]);
  });
  describe('of a device that was never saved', () => {
    testWrite(save({}, { savedAt: undefined }), [['writes the first state', {}, found(true), written]]);
  });
  describe('with a savedAt', () => {
    testWrite(save({ savedAt: turn }), [['stores that', read, found(true), { ...written, savedAt: turn }]]);
  });
  const standsSince = '2026-11-27T10:29:30.000Z';
  describe('with a take-off', () => {
    testWrite(save({ flight: { takeOff } }, { standsSince }), [
      ['stores it', { ...read, standsSince }, found(true), { ...written, takeOff, standsSince: undefined }],
    ]);
  });
  describe('of a landing', () => {
    testWrite(save({ flight: { standsSince } }, { takeOff }), [
      ['removes the take-off', { ...read, takeOff }, found(true), { ...written, takeOff: undefined, standsSince }],
    ]);
  });
  describe('that is quiet, in flight', () => {
    testWrite(save({ isQuiet: true, flight: { takeOff } }, { takeOff }), [
      ['says so', { ...read, takeOff, quiet: undefined }, found(true), { ...written, quiet: 'yes' }],
    ]);
  });
});

const battery = { timestamp: '2026-11-27T10:29:59.723Z', battery: { percent: 80 } };
describe.each([
  ['before', '2026-11-27T10:29:59.400Z', '2026-11-27T10:29:59.700Z'],
  ['after', '2026-11-27T10:29:59.900Z', '2026-11-27T10:29:59.900Z'],
])('saveTrailing of a state that came %s the last report', (_, last, reported) => {
  const known = deviceRecord.parse(item({ version: 4, reportedAt: last, lastState: battery }));
  const read = { reportedAt: last, lastState: JSON.stringify(battery) };
  const written = {
    ...stored,
    reportedAt: reported,
    savedAt: now.toISOString(),
    transitions: 0,
    lastState: undefined,
    state: stateText({
      timestamp: state.timestamp,
      droneState: 'HOVER',
      battery: { percent: 80 },
      sensorPayload: state.sensorPayload,
      measuredBefore: { battery: 0.4 },
    }),
    takeOff: { timestamp: state.timestamp },
  };
  testWrite(
    () => saveTrailing(acme, known, state, '2026-11-27T10:29:59.700Z', now),
    [
      ['merges it into what is known', read, true, written],
      ['keeps an offline device so', { ...read, status: 'offline' }, true, written],
      ['leaves a device that was written since', { ...read, version: 5 }, false],
      ['leaves a device of an earlier version', { ...read, version: 3 }, false],
      ['leaves a device that has reported since', { ...read, reportedAt }, false],
      ['creates no device', undefined, false],
    ],
  );
});

describe('recordReport', () => {
  const reported = { reportedAt: now.toISOString(), quiet: undefined };
  describe('of an online device', () => {
    testWrite(
      () => recordReport(acme, deviceRecord.parse(item()), now),
      [
        ['stores its time', { reportedAt }, true, reported],
        ['leaves a device that has reported since', { reportedAt: now.toISOString() }, false],
        ['leaves a device that is offline by now', { reportedAt, status: 'offline' }, false],
        ['creates no device', undefined, false],
      ],
    );
  });
  describe('of an offline device', () => {
    testWrite(
      () => recordReport(acme, deviceRecord.parse(item({ status: 'offline' })), now),
      [
        [
          'marks it as online',
          { reportedAt, status: 'offline' },
          true,
          { ...reported, status: 'online', presentIn: acme, version: 5 },
        ],
        ['leaves a device that is online by now', { reportedAt }, false],
        ['creates no device', undefined, false],
        ['leaves a device that was removed', removed, false],
      ],
    );
  });
});

describe('markOffline', () => {
  testWrite(
    () => markOffline(acme, id('device'), reportedAt),
    [
      [
        'marks a device that has not reported since',
        { reportedAt, presentIn: acme },
        true,
        { status: 'offline', presentIn: undefined, quiet: undefined, version: 5 },
      ],
      ['leaves a device that has reported since', { reportedAt: now.toISOString() }, false],
      ['leaves a device that is offline', { reportedAt, status: 'offline' }, false],
      ['creates no device', undefined, false],
    ],
  );
});

describe('storedState', () => {
  const released =
    'ndQ9D4JADAbgP8Q1bY96wOZACDFBA7i4GKI4GJ0cDf/dyEc8j4+B2zpck7d90vfYBJFiUxJGGiMSINYnl0kel8c8S7PEcVJui905' +
    'zQ75PsnjolgPRhEz+BT6JOJpA8b4IYfiEQYCopc8sUEQGxUD8bAfRQhaFnVx+3skDEF4TllAwGJJ84O2ntYWIK4D5wYLcRxsQV+X' +
    'yxE49Pxj+B2ZFttiH7DzSAgsjsnq8qwRkRTS/YqTb45t39uh2+3ZBdzP7mf4Vj1etTdxv62TummaDw==';
  const later = { ...state, timestamp: '2026-11-27T10:30:00.124Z' };
  test.each([
    ['is none before the first report', {}, undefined],
    ['is that of earlier releases', { lastState: JSON.stringify(state) }, state],
    ['is the compressed one', { state: stateText(state) }, state],
    [
      'is the later one after a return to an earlier release',
      { state: stateText(state), lastState: JSON.stringify(later) },
      later,
    ],
    ['is the later one after an update again', { state: stateText(later), lastState: JSON.stringify(state) }, later],
  ])('%s', (_, found, expected) => {
    expect(storedState(found)).toEqual(expected);
  });

  test('is what was stored by the first release that compressed it', () => {
    expect(storedState({ state: released })).toEqual({
      ...deviceState.parse(fullSample),
      measuredBefore: { battery: 0.6 },
    });
  });

  test('of a text that is none is an error', () => {
    expect(() => storedState({ state: 'x' })).toThrow('unexpected end of file');
  });
});

import { deviceRecord, type Device } from '../../../domain/fleet/device';
import { fleetKey } from '../../../data/fleet/fleet-key';
import {
  markOffline,
  readDevices,
  recordReport,
  saveState,
  saveTrailing,
  type StateWrite,
} from '../../../data/fleet/save-device-state';
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { acme, id } from '../../domain/fixtures/samples';
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
const stored = { lastState: JSON.stringify(state), stateAt: state.timestamp, version: 5, quiet: undefined };
const [same, earlier, later] = [state.timestamp, '2026-11-27T10:30:00.122Z', '2026-11-27T10:30:00.124Z'];
/** Half a second ago, which is a turn, and too late for one. */
const [turn, afterTurn] = ['2026-11-27T10:30:00.000Z', '2026-11-27T10:30:00.001Z'];
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
  const known = deviceRecord.parse(item({ savedAt: turn }));
  const save =
    (more: Partial<StateWrite> = {}, change: Partial<Device> = {}) =>
    () =>
      saveState(acme, { ...known, ...change }, state, {
        kind: 'write',
        reason: 'due',
        latestSave: turn,
        savedAt: now.toISOString(),
        takeOff: undefined,
        now,
        isQuiet: false,
        ...more,
      });
  const due = { stateAt: earlier, savedAt: turn };
  const written = { ...stored, reportedAt: now.toISOString(), savedAt: now.toISOString(), transitions: 0 };
  const gone = { isSaved: false, device: undefined };

  describe.each(['due', 'transition'] as const)('for the reason %s', (reason) => {
    const transitions = reason === 'due' ? 0 : 1;
    testWrite(save({ reason }), [
      ['writes a later state', due, found(true, { version: 4, savedAt: turn }), { ...written, transitions }],
      ['writes the first state', { savedAt: turn }, found(true), { ...written, transitions }],
      ['leaves the state of the same time', { ...due, stateAt: same }, found(false)],
      ['leaves a later state', { ...due, stateAt: later }, found(false)],
      ['leaves a device that went offline', { ...due, status: 'offline' }, found(false, { status: 'offline' })],
      ['leaves a device of another group', { ...due, deviceGroupId: 'x' }, found(false, { deviceGroupId: 'x' })],
      ['leaves a device that has taken off', { ...due, takeOff }, found(false, { takeOff })],
      ['creates no device', undefined, gone],
      ['leaves a device that was removed', removed, gone],
    ]);
  });
  describe('of a due state', () => {
    testWrite(save(), [
      ['forgets the transitions', { ...due, transitions: 5 }, found(true), written],
      ['leaves a state that was saved since', { ...due, savedAt: afterTurn }, found(false, { savedAt: afterTurn })],
    ]);
  });
  describe('of a transition', () => {
    testWrite(save({ reason: 'transition' }), [
      [
        'counts it, however new the last one',
        { ...due, savedAt: afterTurn, transitions: 4 },
        found(true),
        { ...written, transitions: 5 },
      ],
      ['refuses a sixth one', { ...due, transitions: 5 }, found(false)],
    ]);
  });
  describe('of an offline device', () => {
    const online = { ...written, status: 'online', presentIn: acme };
    testWrite(save({}, { status: 'offline' }), [
      [
        'marks it as online, however new the last one',
        { ...due, savedAt: afterTurn, status: 'offline' },
        found(true),
        online,
      ],
      ['leaves one that is online by now', due, found(false)],
    ]);
  });
  describe('of a device that was never saved', () => {
    testWrite(save({}, { savedAt: undefined }), [['writes the first state', {}, found(true), written]]);
  });
  describe('with a savedAt', () => {
    testWrite(save({ savedAt: turn }), [['stores that', due, found(true), { ...written, savedAt: turn }]]);
  });
  describe('with a take-off', () => {
    testWrite(save({ takeOff }), [['stores it', due, found(true), { ...written, takeOff }]]);
  });
  describe('of a landing', () => {
    testWrite(save({}, { takeOff }), [
      ['removes the take-off', { ...due, takeOff }, found(true), { ...written, takeOff: undefined }],
      ['leaves a device in another flight', { ...due, takeOff: { timestamp: later } }, found(false)],
    ]);
  });
  describe('that is quiet, in flight', () => {
    testWrite(save({ isQuiet: true, takeOff }, { takeOff }), [
      ['says so', { ...due, takeOff, quiet: undefined }, found(true), { ...written, quiet: 'yes' }],
      ['leaves a device that has landed', due, found(false)],
    ]);
  });
});

describe.each([
  ['before', '2026-11-27T10:29:59.400Z', '2026-11-27T10:29:59.700Z'],
  ['after', '2026-11-27T10:29:59.900Z', '2026-11-27T10:29:59.900Z'],
])('saveTrailing of a state that came %s the last report', (_, last, reported) => {
  const known = deviceRecord.parse(item({ version: 4, reportedAt: last }));
  const read = { stateAt: earlier, reportedAt: last };
  const written = {
    ...stored,
    reportedAt: reported,
    savedAt: now.toISOString(),
    transitions: 0,
    takeOff: { timestamp: state.timestamp },
  };
  testWrite(
    () => saveTrailing(acme, known, state, '2026-11-27T10:29:59.700Z', now),
    [
      ['writes it', read, true, written],
      ['keeps an offline device so', { ...read, status: 'offline' }, true, written],
      ['leaves the state of the same time', { ...read, stateAt: same }, false],
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

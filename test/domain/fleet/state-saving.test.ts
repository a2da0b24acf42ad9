import { device, type Device } from '../../../domain/fleet/fleet';
import { isReportDue, isUnsaved, savingOf, waitForTurn } from '../../../domain/fleet/state-saving';
import { offlineAfter } from '../../../domain/fleet/offline';
import type { DeviceState } from '../../../domain/telemetry/telemetry';
import { id } from '../fixtures/samples';

const now = new Date('2026-11-27T10:30:00.500Z');
const after = (ms: number) => new Date(now.getTime() + ms).toISOString();
const state = { timestamp: '2026-11-27T10:30:00.123Z', droneState: 'HOVER', sensorPayload: { gas: { ch4: 1.9 } } };
const stored = (change: object = {}): Device =>
  device.parse({
    deviceId: id('device'),
    deviceGroupId: id('group'),
    name: 'Kestrel',
    status: 'online',
    savedAt: now.toISOString(),
    lastState: state,
    ...change,
  });

/** Why these states are written, or what becomes of them else. */
const reasonOf = (known: Device, ...states: DeviceState[]) => {
  const saving = savingOf(known, states, now);
  return saving.kind === 'write' ? saving.reason : saving.kind;
};

describe('A state of a device in motion', () => {
  test.each([
    ['was never written', { savedAt: undefined }, 'due'],
    ['was written half a second ago', { savedAt: '2026-11-27T10:30:00.000Z' }, 'due'],
    ['was written less than half a second ago', { savedAt: '2026-11-27T10:30:00.001Z' }, 'wait'],
    ['was written just now', {}, 'wait'],
    ['is offline and was written just now', { status: 'offline' }, 'due'],
  ])('that %s (%j) is %s', (_, change, reason) => {
    expect(reasonOf(stored(change), state)).toBe(reason);
  });

  test.each([
    ['another droneState', { ...state, droneState: 'LANDED' }, 'transition'],
    ['another dockState', { ...state, dockState: 'OPEN' }, 'transition'],
    ['another job', { ...state, jobId: id('job') }, 'transition'],
    ['another position', { ...state, navigation: { velocity: { groundSpeed: 3 } } }, 'wait'],
    ['fewer fields than the stored state', { timestamp: state.timestamp }, 'wait'],
  ])('with %s within a second and %j is %s', (_, sample, reason) => {
    expect(reasonOf(stored(), sample)).toBe(reason);
  });

  test('is a transition when any of the states before it is one', () => {
    expect(reasonOf(stored(), { ...state, droneState: 'LANDED' }, { timestamp: state.timestamp })).toBe('transition');
  });

  test('is written at once for five transitions within a second', () => {
    const transition = { ...state, droneState: 'LANDED' };
    expect(reasonOf(stored({ transitions: 4 }), transition)).toBe('transition');
    expect(reasonOf(stored({ transitions: 5 }), transition)).toBe('wait');
    expect(reasonOf(stored({ transitions: 5, savedAt: '2026-11-27T10:29:59.500Z' }), transition)).toBe('due');
  });
});

const dock = [8.541694, 47.376887, 408.3] as const;
/** A state at rest: so many metres to the north and higher, with so many percent. */
const resting = (north: number, up = 0, percent = 81, change: object = {}): DeviceState => ({
  timestamp: state.timestamp,
  droneState: 'DOCKED',
  dockState: 'CLOSED',
  navigation: { position: { type: 'Point', coordinates: [dock[0], dock[1] + north / 111_195, dock[2] + up] } },
  battery: { percent },
  ...change,
});

describe('A state of a device at rest', () => {
  test.each([
    ['the same', resting(0), 'keep'],
    ['landed', { ...resting(0), droneState: undefined }, 'keep'],
    ['4.9 m away', resting(4.9), 'keep'],
    ['5.1 m away', resting(5.1), 'due'],
    ['4 m away and 4 m higher', resting(4, 4), 'due'],
    ['with a percent less', resting(0, 0, 80), 'keep'],
    ['with 1.1 percent less', resting(0, 0, 79.9), 'due'],
    ['without a position and a battery', { timestamp: state.timestamp, droneState: 'DOCKED' }, 'keep'],
    ['with weather and sensors', resting(0, 0, 81, { weather: { rain: 1 }, sensorPayload: { gas: 2 } }), 'keep'],
    ['in flight', resting(0, 0, 81, { droneState: 'HOVER' }), 'due'],
    ['with another dock state', resting(0, 0, 81, { dockState: 'OPEN' }), 'due'],
    ['that names a job', resting(0, 0, 81, { jobId: id('job') }), 'due'],
  ])('%s, a second after the last write, becomes %j: %s', (_, next, reason) => {
    const known = stored({ savedAt: after(-1000), lastState: resting(0) });
    expect(reasonOf(known, JSON.parse(JSON.stringify(next)) as DeviceState)).toBe(reason);
  });

  test.each([
    ['was saved 9,499 ms ago', { savedAt: after(-9499) }, 'keep'],
    ['was saved 9.5 s ago, which is its turn', { savedAt: after(-9500) }, 'due'],
    ['was never saved', { savedAt: undefined }, 'due'],
    ['is offline', { status: 'offline' }, 'due'],
    ['was saved with a job', { savedAt: after(-600), lastState: resting(0, 0, 81, { jobId: id('job') }) }, 'due'],
    ['was saved without a position', { savedAt: after(-600), lastState: { ...resting(0), navigation: {} } }, 'due'],
    ['was saved without a battery', { savedAt: after(-600), lastState: { ...resting(0), battery: {} } }, 'due'],
    ['flew when it was saved', { savedAt: after(-600), lastState: state }, 'due'],
  ])('that %s (%j) is %s', (_, change, reason) => {
    expect(reasonOf(stored({ lastState: resting(0), ...change }), resting(0))).toBe(reason);
  });

  test('is written when a state before it was another', () => {
    const known = stored({ savedAt: after(-600), lastState: resting(0) });
    expect(reasonOf(known, resting(20), resting(0))).toBe('due');
  });
});

test.each([
  ['was never written', { savedAt: undefined }, 0],
  ['is offline', { status: 'offline', savedAt: after(-700) }, 0],
  ['was written a second ago', { savedAt: after(-1000) }, 0],
  ['was written 700 ms ago, so it is ahead of its turn', { savedAt: after(-700) }, 300],
  ['was written 500 ms ago, the earliest that counts as its turn', { savedAt: after(-500) }, 500],
  ['rests and was written 9.7 s ago', { savedAt: after(-9700), lastState: resting(0) }, 300],
])('the state of a device that %s (%j) is saved as that of %d ms from now', (_, change, ms) => {
  const known = stored(change);
  const next = known.lastState?.droneState === 'DOCKED' ? resting(0) : state;
  expect(savingOf(known, [next], now)).toMatchObject({ kind: 'write', savedAt: after(ms) });
});

const takeOff = { timestamp: '2026-11-27T10:20:00.000Z' };
test.each([
  ['lands', { takeOff }, { ...state, droneState: 'LANDED' }, undefined],
  ['takes off', {}, state, { timestamp: state.timestamp }],
  ['flies on', { takeOff }, state, takeOff],
])('the state of a device that %s (%j) is saved with its take-off: %j', (_, change, next, expected) => {
  const known = stored({ savedAt: after(-1000), lastState: resting(0), ...change });
  expect(savingOf(known, [{ ...next, navigation: {} }], now)).toMatchObject({
    kind: 'write',
    ...('takeOff' in change && expected ? { takeOff: expected } : {}),
  });
  const saving = savingOf(known, [next], now);
  expect(saving.kind === 'write' && saving.takeOff?.timestamp).toBe(expected?.timestamp);
});

test.each([
  ['in flight', { droneState: 'HOVER' }, 30_000],
  ['of an unknown state', {}, 30_000],
  ['landed', { droneState: 'LANDED' }, 40_000],
  ['landed for a job', { droneState: 'LANDED', jobId: id('job') }, 30_000],
])('a device %s (%j) is offline %d ms after its last save', (_, change, ms) => {
  expect(offlineAfter(stored({ lastState: { timestamp: state.timestamp, ...change } }))).toBe(ms);
});

test.each([
  ['never reported', { reportedAt: undefined }, true],
  ['is offline', { status: 'offline', reportedAt: after(-1) }, true],
  ['reported 999 ms ago', { reportedAt: after(-999) }, false],
  ['reported a second ago', { reportedAt: after(-1000) }, true],
])('of a device that %s (%j) a report without a new state is recorded: %j', (_, change, expected) => {
  expect(isReportDue(stored(change), now)).toBe(expected);
});

test.each([
  ['a later state', stored(), after(-376), true],
  ['the saved state itself', stored(), state.timestamp, false],
  ['an earlier state', stored(), after(-2000), false],
  ['a device that was registered again', stored({ lastState: undefined }), after(0), false],
  ['a device that was removed', undefined, after(0), false],
])('%s is unsaved: %#', (_, known, timestamp, expected) => {
  expect(isUnsaved(known, { timestamp })).toBe(expected);
});

test.each([
  ['just after the last write', 0, 0, 1100],
  ['800 ms after it, so that the newest of several is first', 800, 0, 220],
  ['long after it', 5000, 0, 0],
  ['800 ms after it, and is looked at 150 ms later', 800, 150, 70],
])('a state that came %s waits for its turn', (_, sinceSaved, lookedAtAfter, ms) => {
  const at = after(0);
  expect(waitForTurn(stored({ savedAt: after(-sinceSaved) }), at, new Date(after(lookedAtAfter)))).toBe(ms);
});

import { device, type Device } from '../../domain/fleet';
import { isNextState, isReportDue, isUnsaved, turnAfter, waitForTurn, writeReasonOf } from '../../domain/state-saving';
import { id } from './fixtures/samples';

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

describe('writeReasonOf', () => {
  test.each([
    ['was never written', { savedAt: undefined }, 'due'],
    ['was written half a second ago', { savedAt: '2026-11-27T10:30:00.000Z' }, 'due'],
    ['was written less than half a second ago', { savedAt: '2026-11-27T10:30:00.001Z' }, undefined],
    ['was written just now', {}, undefined],
    ['is offline and was written just now', { status: 'offline' }, 'due'],
  ])('for a device that %s and %j returns %s', (_, change, reason) => {
    expect(writeReasonOf(stored(change), [state], now)).toBe(reason);
  });

  test.each([
    ['another droneState', { ...state, droneState: 'LANDED' }, 'transition'],
    ['another dockState', { ...state, dockState: 'OPEN' }, 'transition'],
    ['another job', { ...state, jobId: id('job') }, 'transition'],
    ['another position', { ...state, navigation: { velocity: { groundSpeed: 3 } } }, undefined],
    ['fewer fields than the stored state', { timestamp: state.timestamp }, undefined],
  ])('for %s within a second and %j returns %s', (_, sample, reason) => {
    expect(writeReasonOf(stored(), [sample], now)).toBe(reason);
  });

  test('returns transition when any of the samples is one', () => {
    expect(writeReasonOf(stored(), [{ ...state, droneState: 'LANDED' }, { timestamp: state.timestamp }], now)).toBe(
      'transition',
    );
  });

  test('allows five transitions within a second', () => {
    const transition = { ...state, droneState: 'LANDED' };
    expect(writeReasonOf(stored({ transitions: 4 }), [transition], now)).toBe('transition');
    expect(writeReasonOf(stored({ transitions: 5 }), [transition], now)).toBeUndefined();
    expect(writeReasonOf(stored({ transitions: 5, savedAt: '2026-11-27T10:29:59.500Z' }), [transition], now)).toBe(
      'due',
    );
  });
});

test.each([
  ['was never written', { savedAt: undefined }, 0],
  ['is offline', { status: 'offline', savedAt: after(-700) }, 0],
  ['was written a second ago', { savedAt: after(-1000) }, 0],
  ['was written 700 ms ago, so it is ahead of its turn', { savedAt: after(-700) }, 300],
  ['was written 500 ms ago, the earliest that counts as its turn', { savedAt: after(-500) }, 500],
  ['was written 499 ms ago, as a transition', { savedAt: after(-499) }, 0],
])('the state of a device that %s (%j) is saved as that of %d ms from now', (_, change, ms) => {
  expect(turnAfter(stored(change), now)).toBe(after(ms));
});

const resting = { timestamp: state.timestamp, droneState: 'LANDED' };
const takeOff = { timestamp: '2026-11-27T10:20:00.000Z' };
test.each([
  ['rests and reports once a second', {}, resting, true],
  ['rests and was written just now', { savedAt: now.toISOString() }, resting, false],
  ['rests and is offline', { status: 'offline' }, resting, false],
  ['lands', { takeOff }, { ...state, droneState: 'LANDED' }, false],
  ['takes off', {}, state, false],
  ['flies on', { takeOff: { ...takeOff, altitude: 4 } }, state, true],
])('of a device that %s (%j) the state %j needs only the next write: %j', (_, change, next, expected) => {
  const flown = { savedAt: after(-1000), lastState: resting, ...change };
  expect(isNextState(stored(flown), [next], now)).toBe(expected);
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

import { isFinal } from '../../domain/jobs/job-lifecycle';
import { commandLifecycle, isEnded, type CommandStatus } from '../../domain/commands/command-lifecycle';
import { progress } from '../../domain/jobs/progress';
import { deviceState } from '../../domain/telemetry/sample';
import { courseOf, type Flight } from '../../packages/simulator/course';
import { flightAt } from '../../packages/simulator/flight';
import { flownOf, outcomesOf, overAt, placeOfFlown } from '../../packages/simulator/flown';
import { offsetOf } from '../../packages/simulator/dock';
import { progressAt } from '../../packages/simulator/progress';
import { freeAt, reportsOf } from '../../packages/simulator/reports';
import { timesOf } from '../../packages/simulator/timeline';
import { commanded, commandedFlights, flightOf, placeAt, toPlace, type Step } from './fixtures/commanded';
import { fc } from '../property-runs';

const dockedS = (flight: Flight) => timesOf(courseOf(flight)).docked;
const lastCommandAt = ({ commands = [] }: Flight) => commands.at(-1)?.at ?? 0;
const moments = fc.integer({ min: 0, max: 20_000 }).map((tenths) => tenths / 10);
const placeOf = (flight: Flight, t: number) => placeOfFlown(flownOf(flight), t);
const stateAt = (flight: Flight, t: number) => flightAt(flight, t)?.droneState;
const metres = (one: readonly number[], other: readonly number[]) =>
  Math.hypot(...one.map((value, axis) => value - (other[axis] ?? 0)));

/** Metres per second, and metres per second in a second. A job's climb is faster than that of a command. */
const LIMITS = { horizontal: 15.1, vertical: 7.6, acceleration: 4 };

/** Expects that a drone flies within its limits, until a while after its last command. */
function expectNoJump(flight: Flight): void {
  const step = 0.1;
  const flown = flownOf(flight);
  const end = Math.min(overAt(flown), lastCommandAt(flight) + 300);
  const places = Array.from({ length: Math.ceil(end / step) }, (_, count) => placeOfFlown(flown, count * step));
  const most = { horizontal: 0, vertical: 0, acceleration: 0 };
  for (const [index, now] of places.entries()) {
    const [before, next] = [places[index - 1], places[index + 1]];
    if (!before || !next) continue;
    const velocity = [next[0] - now[0], next[1] - now[1], next[2] - now[2]];
    const last = [now[0] - before[0], now[1] - before[1], now[2] - before[2]];
    most.horizontal = Math.max(most.horizontal, Math.hypot(next[0] - now[0], next[1] - now[1]) / step);
    most.vertical = Math.max(most.vertical, Math.abs(next[2] - now[2]) / step);
    most.acceleration = Math.max(most.acceleration, metres(velocity, last) / step ** 2);
  }
  expect(most.horizontal).toBeLessThan(LIMITS.horizontal);
  expect(most.vertical).toBeLessThan(LIMITS.vertical);
  expect(most.acceleration).toBeLessThan(LIMITS.acceleration);
}

describe('Whatever the commands', () => {
  test('a drone flies without jumps: its speed and acceleration are within its limits', () => {
    fc.assert(fc.property(commandedFlights, expectNoJump));
  });

  test.each([
    [['PAUSE', 'RESUME']],
    [['GO_TO', 'RESUME']],
    [['ORBIT', 'RESUME']],
    [['ORBIT', 'PAUSE', 'RESUME', 'RESUME']],
    [['GO_TO', 'RESUME', 'GO_TO', 'RESUME']],
    [['RETURN_HOME', 'PAUSE', 'RESUME']],
    [['RETURN_HOME', 'LAND', 'PAUSE', 'RETURN_HOME']],
  ])('%j are obeyed without jumps, at any pace', (names) => {
    const position = placeAt(150, -150);
    for (const apart of [1, 3, 8, 60, 130]) {
      const steps = names.map((name, index): Step => [50 + index * apart, name, { position, height: 40 }]);
      for (const plan of [flightOf(), toPlace]) expectNoJump(commanded(plan, steps));
    }
  });

  test('a later command changes nothing before it', () => {
    fc.assert(
      fc.property(commandedFlights, fc.nat({ max: 99 }), (flight, percent) => {
        const { commands = [] } = flight;
        const without = { ...flight, commands: commands.slice(0, -1) };
        const t = (lastCommandAt(flight) * percent) / 100;
        expect(flightAt(flight, t)).toEqual(flightAt(without, t));
        const known = (one: Flight) => outcomesOf(one).filter(({ at }) => at < lastCommandAt(flight));
        expect(known(flight)).toEqual(known(without));
      }),
    );
  });

  test('its samples are valid, and so is its progress, which does not shrink', () => {
    fc.assert(
      fc.property(commandedFlights, moments, (flight, t) => {
        const state = flightAt(flight, t);
        if (state) expect(deviceState.parse({ timestamp: '2026-11-27T10:30:00.000Z', ...state })).toMatchObject(state);
        const [before, after] = [progressAt(flight, t, 1), progressAt(flight, t + 5, 1)];
        if (!before || !after) return;
        expect(progress.parse(before)).toEqual(before);
        expect(after.percent).toBeGreaterThanOrEqual(before.percent);
      }),
    );
  });

  test('each flight ends, each job ends once, and each command ends as its lifecycle allows', () => {
    fc.assert(
      fc.property(commandedFlights, (flight) => {
        expect(freeAt(flight)).toBeLessThan(Infinity);
        const reports = reportsOf(flight);
        expect(reports.filter(({ status }) => isFinal(status))).toHaveLength(1);
        expect(reports.map(({ at }) => at)).toEqual(reports.map(({ at }) => at).toSorted((a, b) => a - b));
        const statuses = new Map<string | undefined, CommandStatus>(
          (flight.commands ?? []).map(({ requestId }) => [requestId, 'REQUESTED']),
        );
        for (const { requestId, outcome } of outcomesOf(flight)) {
          expect(commandLifecycle[statuses.get(requestId) ?? 'DONE'].next).toContain(outcome);
          statuses.set(requestId, outcome);
        }
        // A drone that is out of reach tells nothing.
        if (flight.plan.failure === 'link-loss') return;
        for (const status of statuses.values()) expect(isEnded(status)).toBe(true);
      }),
    );
  });
});

/** The outcomes of commands, by their numbers. */
const outcomes = (flight: Flight, number: number) =>
  outcomesOf(flight).filter(({ requestId }) => requestId === String(number));
const last = (flight: Flight, number: number) => outcomes(flight, number).at(-1);
const doneAt = (flight: Flight, number: number) => {
  const found = last(flight, number);
  expect(found?.outcome).toBe('DONE');
  return found?.at ?? NaN;
};

describe('A commanded drone', () => {
  test('stands where its braking ends, and goes on with its course, which is shifted in time', () => {
    const round = flightOf();
    const paused = commanded(round, [[60, 'PAUSE']]);
    const halt = doneAt(paused, 0);
    expect(halt - 60).toBeLessThan(12);
    expect(stateAt(paused, halt)).toBe('HOVER');
    expect(flightAt(paused, halt + 60)?.navigation).toEqual(flightAt(paused, halt + 1)?.navigation);
    const resumed = commanded(round, [
      [60, 'PAUSE'],
      [200, 'RESUME'],
    ]);
    const late = dockedS(resumed) - overAt(flownOf(resumed));
    expect(late).toBeLessThan(-120);
    for (const t of [220, 300, 400]) expect(metres(placeOf(resumed, t), placeOf(round, t + late))).toBeLessThan(0.001);
    expect(reportsOf(resumed).at(-1)).toMatchObject({ at: dockedS(round) - late, status: 'COMPLETED' });
  });

  test('goes to a place, hovers there until it is told to resume, and goes back to where it had left its course', () => {
    const go: Step = [100, 'GO_TO', { position: placeAt(200, -300), height: 80, speed: 12 }];
    const gone = commanded(toPlace, [go]);
    const there = doneAt(gone, 0);
    const place = [...offsetOf(gone.dock, ...(go[2]?.position?.coordinates.slice(0, 2) as [number, number])), 80];
    for (const t of [there, there + 100]) expect(metres(placeOf(gone, t), place)).toBeLessThan(0.001);
    expect(stateAt(gone, there + 1)).toBe('HOVER');
    expect(placeOf(gone, there - 1)).not.toEqual(placeOf(gone, there));
    const back = commanded(toPlace, [go, [there + 50, 'RESUME']]);
    expect(doneAt(back, 1)).toBe(there + 50);
    expect(reportsOf(back).at(-1)).toMatchObject({ status: 'COMPLETED' });
    const left = placeOf(toPlace, 100);
    const away = Array.from({ length: 200 }, (_, s) => metres(placeOf(back, there + 50 + s), left));
    expect(Math.min(...away)).toBeLessThan(5);
  });

  test('goes to a place at its altitude, else at the height that it has', () => {
    const at = (altitude?: number) => {
      const [longitude, latitude] = placeAt(100, 100).coordinates;
      const coordinates: [number, number, number?] =
        altitude === undefined ? [longitude, latitude] : [longitude, latitude, altitude + toPlace.dock.altitude];
      const gone = commanded(toPlace, [[100, 'GO_TO', { position: { type: 'Point', coordinates } }]]);
      return placeOf(gone, doneAt(gone, 0))[2];
    };
    expect(at(90)).toBeCloseTo(90, 6);
    expect(at()).toBeCloseTo(50, 6);
  });

  test.each([
    [undefined, 30],
    [75, 75],
  ])('circles a place with the radius %p at %d metres', (radius, expected) => {
    const position = placeAt(150, 150);
    const orbit = commanded(toPlace, [[100, 'ORBIT', { position, ...(radius !== undefined && { radius }) }]]);
    const on = doneAt(orbit, 0);
    const [longitude, latitude] = position.coordinates;
    for (const t of [0, 10, 60])
      expect(metres(placeOf(orbit, on + t).slice(0, 2), offsetOf(orbit.dock, longitude, latitude))).toBeCloseTo(
        expected,
        6,
      );
    expect(stateAt(orbit, on + 10)).toBe('ORBIT');
    expect(placeOf(orbit, on + 20)).not.toEqual(placeOf(orbit, on + 10));
  });

  test('returns home at a safe height and docks; its job ends then, by that command', () => {
    const flight = commanded(toPlace, [[100, 'RETURN_HOME']]);
    const docked = doneAt(flight, 0);
    expect(flightAt(flight, docked)).toMatchObject({ droneState: 'DOCKED', dockState: 'CHARGING' });
    expect(placeOf(flight, docked)).toEqual([0, 0, 0]);
    expect(stateAt(flight, 115)).toBe('RETURNING');
    const end = { at: docked, status: 'FAILED', reason: 'ABORTED_BY_COMMAND', commandId: '0' };
    expect(reportsOf(flight).at(-1)).toEqual(end);
    expect(flightAt(flight, docked)?.battery.percent).toBeGreaterThan(80);
  });

  test('lands where it is, and its job ends', () => {
    const flight = commanded(toPlace, [[100, 'LAND']]);
    const down = doneAt(flight, 0);
    expect(stateAt(flight, down + 30)).toBe('LANDED');
    expect(placeOf(flight, down)[1]).toBeGreaterThan(500);
    expect(placeOf(flight, down)[2]).toBe(0);
    expect(reportsOf(flight).at(-1)).toMatchObject({ at: down, status: 'FAILED', commandId: '0' });
    expect(freeAt(flight)).toBe(down + 120);
  });

  test('pauses its return, goes on with it, and may land instead', () => {
    const steps: Step[] = [
      [100, 'RETURN_HOME'],
      [120, 'PAUSE'],
      [160, 'RESUME'],
    ];
    const flight = commanded(toPlace, steps);
    expect(last(flight, 0)).toMatchObject({ outcome: 'SUPERSEDED', at: 120 });
    expect(stateAt(flight, 150)).toBe('HOVER');
    expect(doneAt(flight, 2)).toBeLessThan(172);
    expect(reportsOf(flight).at(-1)).toMatchObject({ reason: 'ABORTED_BY_COMMAND', commandId: '0' });
    expect(stateAt(flight, overAt(flownOf(flight)))).toBe('DOCKED');
    const landed = commanded(toPlace, [...steps.slice(0, 2), [160, 'LAND']]);
    expect(reportsOf(landed).at(-1)).toMatchObject({ at: doneAt(landed, 2), commandId: '2' });
    expect(stateAt(landed, doneAt(landed, 2))).toBe('LANDED');
  });

  test('returns by itself when its charge is needed for that, and obeys nothing but LAND then', () => {
    const flight = commanded(flightOf(), [[60, 'PAUSE']]);
    const over = overAt(flownOf(flight));
    expect(reportsOf(flight).at(-1)).toEqual({ at: over, status: 'FAILED', reason: 'LOW_BATTERY' });
    expect(flightAt(flight, over)?.battery.percent).toBeGreaterThan(9);
    const asked = commanded(flight, [
      [60, 'PAUSE'],
      [over - 12, 'RESUME'],
      [over - 11, 'LAND'],
    ]);
    expect(last(asked, 1)).toMatchObject({ outcome: 'REFUSED', reason: 'DEVICE_BUSY' });
    expect(stateAt(asked, doneAt(asked, 2))).toBe('LANDED');
  });

  test('does not take off when it is called home before', () => {
    const flight = commanded(toPlace, [[3, 'RETURN_HOME']]);
    expect(reportsOf(flight).map(({ status }) => status)).toEqual(['QUEUED', 'FAILED']);
    expect(doneAt(flight, 0)).toBe(3);
    expect(placeOf(flight, 60)).toEqual([0, 0, 0]);
  });

  test('points its camera as told, at once', () => {
    const flight = commanded(toPlace, [
      [100, 'GIMBAL', { pitch: -45, yaw: 90 }],
      [110, 'LOOK_AT', { position: placeAt(600, 0) }],
    ]);
    const cameraAt = (t: number) => flightAt(flight, t)?.sensorPayload?.camera.orientation;
    expect(cameraAt(99)).toBeUndefined();
    const { heading = 0 } = flightAt(flight, 105)?.navigation.orientation ?? {};
    expect(cameraAt(105)).toEqual({ pitch: -45, heading: (heading + 90) % 360 });
    expect(cameraAt(110)?.pitch).toBeCloseTo(-90, 0);
    expect([last(flight, 0), last(flight, 1)]).toMatchObject([
      { outcome: 'DONE', at: 100 },
      { outcome: 'DONE', at: 110 },
    ]);
  });

  test.each<[string, Step[], number]>([
    [
      'PAUSE of a drone that stands paused',
      [
        [60, 'PAUSE'],
        [90, 'PAUSE'],
      ],
      1,
    ],
    [
      'PAUSE of a drone that hovers at a place',
      [
        [60, 'GO_TO', { position: placeAt(0, 100) }],
        [200, 'PAUSE'],
      ],
      1,
    ],
    ['RESUME of a drone on its course', [[60, 'RESUME']], 0],
    [
      'RESUME of a drone on its return',
      [
        [60, 'RETURN_HOME'],
        [64, 'RESUME'],
      ],
      1,
    ],
    ['TAKE_PHOTO', [[60, 'TAKE_PHOTO']], 0],
    [
      'RETURN_HOME of a drone that has come home',
      [
        [60, 'RETURN_HOME'],
        [200, 'RETURN_HOME'],
      ],
      1,
    ],
  ])('answers at once what is already so, and supersedes nothing: %s', (_, steps, number) => {
    const flight = commanded(flightOf(), steps);
    const at = steps[number]?.[0];
    expect(outcomes(flight, number)).toEqual([{ requestId: String(number), outcome: 'DONE', at }]);
    if (number > 0) expect(last(flight, 0)?.outcome).toBe('DONE');
  });

  test.each<[string, string]>([
    ['PAUSE', 'RESUME'],
    ['PAUSE', 'GO_TO'],
    ['GO_TO', 'PAUSE'],
    ['ORBIT', 'GO_TO'],
    ['GO_TO', 'RETURN_HOME'],
    ['RETURN_HOME', 'LAND'],
  ])('tells that %s was superseded by %s', (first, second) => {
    const position = placeAt(-300, 0);
    const flight = commanded(flightOf(), [
      [60, first, { position }],
      [61, second, { position }],
    ]);
    expect(outcomes(flight, 0).map(({ outcome }) => outcome)).toEqual(['DELIVERED', 'SUPERSEDED']);
    expect(outcomes(flight, 1).map(({ outcome }) => outcome)).toEqual(['DELIVERED', 'DONE']);
  });

  test.each<[string, Step[], string]>([
    ['on the ground', [[2, 'PAUSE']], 'NOT_ALLOWED'],
    [
      'when it has come home',
      [
        [60, 'RETURN_HOME'],
        [200, 'RESUME'],
      ],
      'NOT_ALLOWED',
    ],
    ['during its take-off', [[8, 'GO_TO', { position: placeAt(0, 50) }]], 'DEVICE_BUSY'],
    [
      'on its return',
      [
        [60, 'RETURN_HOME'],
        [62, 'GO_TO', { position: placeAt(0, 50) }],
      ],
      'DEVICE_BUSY',
    ],
    ['to a place too far away', [[60, 'GO_TO', { position: placeAt(9000, 0) }]], 'OUT_OF_RANGE'],
    [
      'to a place too high',
      [[60, 'GO_TO', { position: { type: 'Point', coordinates: [8.9, 47.47, 5000] } }]],
      'OUT_OF_RANGE',
    ],
    [
      'to a circle below the ground',
      [[60, 'ORBIT', { position: { type: 'Point', coordinates: [8.9, 47.47, 0] } }]],
      'OUT_OF_RANGE',
    ],
  ])('refuses a command %s, which changes nothing', (_, steps, reason) => {
    const flight = commanded(flightOf(), steps);
    const number = steps.length - 1;
    expect(outcomes(flight, number)).toEqual([
      { requestId: String(number), outcome: 'REFUSED', reason, at: steps[number]?.[0] },
    ]);
    const without = { ...flight, commands: flight.commands?.slice(0, -1) };
    expect(overAt(flownOf(flight))).toBe(overAt(flownOf(without)));
  });

  test('refuses a pause that would end on the ground', () => {
    const round = flightOf();
    const { touchDown } = timesOf(courseOf(round));
    expect(last(commanded(round, [[touchDown - 0.5, 'PAUSE']]), 0)).toMatchObject({ reason: 'DEVICE_BUSY' });
  });

  test('that is out of reach has heard nothing, and comes home', () => {
    const flight = commanded(flightOf({ failure: 'link-loss' }), [
      [20, 'PAUSE'],
      [40, 'RESUME'],
    ]);
    expect(flight.commands).toHaveLength(1);
    expect(flightAt(flight, 60)).toBeUndefined();
    expect(reportsOf(flight).at(-1)).toEqual({ at: 45, status: 'FAILED', reason: 'LINK_LOSS' });
    expect(stateAt(flight, freeAt(flight))).toBe('DOCKED');
  });

  test('tells how far it is as if it resumed now', () => {
    const flight = commanded(toPlace, [[100, 'PAUSE']]);
    const [one, other] = [progressAt(flight, 130, 1), progressAt(flight, 190, 1)];
    expect(other).toEqual(one);
    expect(one?.distanceLeft).toBeGreaterThan(500);
  });
});

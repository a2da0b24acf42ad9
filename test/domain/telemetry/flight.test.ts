import {
  toTrackPoint,
  type FlightState,
  type TakeOff,
  flightAfter,
  flightAfterLate,
  thinOut,
} from '../../../domain/telemetry/flight';
import {
  flownPoints,
  recordInterval,
  MAX_TRACK_POSITIONS,
  type RecordedPoint,
  toRecordedPoint,
  groupByDevice,
} from '../../../domain/telemetry/flight-record';
import { isFollowed, mayBeSubscribed } from '../../../domain/telemetry/followed-until';
import type { KnownState } from '../../../domain/telemetry/known-state';
import { type DeviceState, deviceState } from '../../../domain/telemetry/sample';
import { acme, fullSample, id } from '../fixtures/samples';
import { cutAtAntimeridian } from '../../../domain/telemetry/antimeridian';
import { splitAtGaps, MAX_GAP_S, thinOutLines } from '../../../domain/telemetry/track-lines';

describe('Flight', () => {
  const at = (seconds: number) => new Date(Date.parse('2026-11-27T10:30:00.000Z') + seconds * 1000).toISOString();
  const state = (seconds: number, droneState?: string, altitude?: number): DeviceState => ({
    timestamp: at(seconds),
    ...(droneState !== undefined && { droneState }),
    ...(altitude !== undefined && { navigation: { position: { type: 'Point', coordinates: [8.5, 47.4, altitude] } } }),
  });
  /** A docked device that said so just now, and whose position was measured before. */
  const positionedBefore = (seconds: number): KnownState => ({
    ...state(0, 'DOCKED', 440),
    measuredBefore: { 'navigation.position': seconds },
  });
  const takeOff: TakeOff = { timestamp: at(-60), altitude: 440 };
  const flying = { lastState: state(0, 'WAYPOINT', 480), takeOff };

  /** The take-off after further states, one after the other. */
  const takeOffAfter = (device: FlightState, states: readonly DeviceState[]) =>
    states.reduce<FlightState>((known, next) => ({ lastState: next, ...flightAfter(known, next) }), device).takeOff;

  describe('flightAfter', () => {
    test.each(['MANUAL', 'GPS_NORMAL', 'WAYPOINT', 'HOVER', 'ORBIT', 'RETURNING'])(
      'is the time of the first %s, with the altitude on the ground before',
      (droneState) => {
        const device = { lastState: state(0, 'DOCKED', 440.04) };
        expect(takeOffAfter(device, [state(1, droneState, 445)])).toEqual({ timestamp: at(1), altitude: 440 });
      },
    );

    test.each<[what: string, before: FlightState, altitude: number]>([
      ['since it stands', { lastState: state(0, 'DOCKED', 440), standsSince: at(-60) }, 440],
      ['when it landed', { lastState: positionedBefore(60), standsSince: at(-60) }, 440],
      ['in the air, a moment before it landed', { lastState: positionedBefore(60.2), standsSince: at(-60) }, 451],
      ['before a silence, after which it says that it stands', { lastState: positionedBefore(71) }, 451],
    ])('has the altitude of a position that was measured %s', (_what, device, altitude) => {
      expect(takeOffAfter(device, [state(1, 'HOVER'), state(2, undefined, 451)])).toEqual({
        timestamp: at(1),
        altitude,
      });
    });

    const far: DeviceState = {
      ...state(100, 'HOVER'),
      navigation: { position: { type: 'Point', coordinates: [13.4, 52.5, 34] } },
    };
    test.each<[what: string, next: readonly DeviceState[], altitude: number]>([
      ['in the air after 40 s', [state(40, 'HOVER', 470)], 440],
      ['at its place after a longer silence', [state(41, 'HOVER', 470)], 440],
      ['elsewhere after a longer silence', [far], 34],
      ['elsewhere after 40 s', [{ ...far, timestamp: at(40) }], 440],
      ['in the air after a silence, and then where it is', [state(41, 'HOVER'), state(42, undefined, 470)], 470],
      ['on the ground again first', [state(41, 'DOCKED', 450), state(42, 'HOVER', 470)], 450],
    ])('has the altitude of where it stood, unless that may be elsewhere: %s', (_what, next, altitude) => {
      expect(takeOffAfter({ lastState: state(0, 'DOCKED', 440) }, next)?.altitude).toBe(altitude);
    });

    test.each<[what: string, late: DeviceState, expected: TakeOff | undefined]>([
      ['a landing', state(-20, 'LANDED', 445.04), { timestamp: at(-20), altitude: 445 }],
      ['a landing without a position', state(-20, 'DOCKED'), { timestamp: at(-20) }],
      ['a landing before the take-off', state(-61, 'LANDED', 445), takeOff],
      ['a flight', state(-20, 'HOVER', 445), takeOff],
      ['a state that says nothing', state(-20, 'TAXI', 445), takeOff],
      ['a position', state(-20, undefined, 445), takeOff],
    ])('begins later when something late says so: %s', (_what, late, expected) => {
      expect(flightAfterLate({ takeOff }, late).takeOff).toEqual(expected);
      expect(flightAfterLate({ standsSince: at(-9) }, late)).toEqual({ standsSince: at(-9) });
    });

    test('has the first reported altitude for a device that reports in flight first', () => {
      const begun = takeOffAfter({}, [state(1, 'HOVER')]);
      expect(begun).toEqual({ timestamp: at(1) });
      const device = { lastState: state(1, 'HOVER'), takeOff: begun };
      expect(takeOffAfter(device, [state(2, undefined, 451)])).toEqual({ timestamp: at(1), altitude: 451 });
    });

    test.each(['WAYPOINT', 'RETURNING', 'SOMETHING_NEW', '__proto__', undefined])(
      'stays the same while the drone state is %s',
      (droneState) => {
        expect(takeOffAfter(flying, [state(1, droneState, 490)])).toBe(takeOff);
      },
    );

    test.each(['LANDED', 'DOCKED'])('is undefined once the drone is %s', (droneState) => {
      expect(takeOffAfter(flying, [state(1, droneState)])).toBeUndefined();
    });

    test.each(['SOMETHING_NEW', '__proto__', undefined])(
      'is undefined before a flight while the state is %s',
      (droneState) => {
        expect(takeOffAfter({ lastState: state(0, 'DOCKED', 440) }, [state(1, droneState, 440)])).toBeUndefined();
      },
    );

    test('notices a landing between two states of one message', () => {
      const states = [state(1, 'LANDED', 441), state(2, 'GPS_NORMAL', 442)];
      expect(takeOffAfter(flying, states)).toEqual({ timestamp: at(2), altitude: 441 });
    });

    test('is a new one after more than half an hour of silence', () => {
      expect(takeOffAfter(flying, [state(1800, 'HOVER', 450)])).toBe(takeOff);
      expect(takeOffAfter(flying, [state(1801, 'HOVER', 450)])).toEqual({ timestamp: at(1801), altitude: 450 });
    });

    test.each<[what: string, before: FlightState, next: DeviceState, since: string | undefined]>([
      ['has landed', flying, state(1, 'LANDED'), at(1)],
      ['goes on standing', { lastState: state(0, 'LANDED'), standsSince: at(-9) }, state(1, 'DOCKED'), at(-9)],
      ['says something else', { lastState: state(0, 'LANDED'), standsSince: at(-9) }, state(1), at(-9)],
      [
        'says a state that says nothing',
        { lastState: state(0, 'LANDED'), standsSince: at(-9) },
        state(1, 'TAXI'),
        undefined,
      ],
      ['has taken off', { lastState: state(0, 'LANDED'), standsSince: at(-9) }, state(1, 'HOVER'), undefined],
      [
        'stands after 40 s of silence',
        { lastState: state(0, 'LANDED'), standsSince: at(-9) },
        state(40, 'DOCKED'),
        at(-9),
      ],
      [
        'stands after a longer silence',
        { lastState: state(0, 'LANDED'), standsSince: at(-9) },
        state(41, 'DOCKED'),
        at(41),
      ],
      [
        'says something else after a silence',
        { lastState: state(0, 'LANDED'), standsSince: at(-9) },
        state(41),
        undefined,
      ],
      ['said it before what is known', { lastState: state(0) }, state(-1, 'DOCKED'), at(-1)],
    ])('since when it stands: a device that %s', (_what, before, next, since) => {
      expect(flightAfter(before, next).standsSince).toBe(since);
    });
  });

  describe('pointOf', () => {
    test('is the position to 10 cm, with the speed if it is known', () => {
      const position = { type: 'Point', coordinates: [8.54169412, 47.37688749, 443.249] } as const;
      const moving = { timestamp: at(0), navigation: { position, velocity: { groundSpeed: 12.549 } } };
      expect(
        toTrackPoint({ ...moving, navigation: { position: { ...position, coordinates: [...position.coordinates] } } }),
      ).toEqual({
        timestamp: at(0),
        coordinates: [8.541694, 47.376887, 443.2],
      });
      expect(toTrackPoint({ timestamp: at(0), navigation: { velocity: { groundSpeed: 3 } } })).toBeUndefined();
      const { groundSpeed } = toTrackPoint({
        ...moving,
        navigation: { ...moving.navigation, position: { type: 'Point', coordinates: [8, 47, 443] } },
      }) ?? { groundSpeed: undefined };
      expect(groundSpeed).toBe(12.5);
    });
  });

  describe('thinOut', () => {
    const points = (count: number) => Array.from({ length: count }, (_, index) => index);

    test.each([0, 1, 2, 100])('leaves %i points as they are', (count) => {
      expect(thinOut(points(count), 100)).toEqual(points(count));
    });

    test.each([101, 250, 10_000])('keeps the first and the last of %i points, in order, evenly', (count) => {
      const thinned = thinOut(points(count), 100);
      expect(thinned).toHaveLength(100);
      expect([thinned[0], thinned.at(-1)]).toEqual([0, count - 1]);
      const gaps = thinned.slice(1).map((point, index) => point - (thinned[index] ?? 0));
      expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
    });
  });
});

describe('Flight record', () => {
  const at = (seconds: number) => new Date(Date.parse('2026-11-27T10:30:00.000Z') + seconds * 1000).toISOString();
  describe('recordedPointOf', () => {
    test('is the position with speeds, heading, state and battery, to about 10 cm and a tenth', () => {
      expect(toRecordedPoint(id('device'), deviceState.parse(fullSample))).toEqual({
        deviceId: id('device'),
        timestamp: '2026-11-27T10:30:15.123Z',
        coordinates: [-122.419415, 37.774929, 1085.5],
        groundSpeed: 12.5,
        verticalSpeed: -10.5,
        heading: 270.5,
        droneState: 'RETURNING',
        batteryPercent: 81.3,
      });
    });

    test('has nothing that the device did not report', () => {
      const position = { type: 'Point' as const, coordinates: [8.5, 47.4, 480] as [number, number, number] };
      const sample = { timestamp: at(0), navigation: { position } };
      expect(JSON.parse(JSON.stringify(toRecordedPoint(id('device'), sample)))).toEqual({
        deviceId: id('device'),
        timestamp: at(0),
        coordinates: [8.5, 47.4, 480],
      });
    });

    test('has what was measured up to ten seconds before it, and nothing later', () => {
      const position = { type: 'Point' as const, coordinates: [8.5, 47.4, 480] as [number, number, number] };
      const known = {
        timestamp: at(0),
        navigation: { position, velocity: { groundSpeed: 3 } },
        battery: { percent: 80 },
      };
      const of = (seconds: number) =>
        toRecordedPoint('d', { ...known, measuredBefore: { battery: seconds } })?.batteryPercent;
      expect([of(0.001), of(10), of(10.001)]).toEqual([80, 80, undefined]);
      const before = { ...known, measuredBefore: { 'navigation.position': 2 } };
      expect(toRecordedPoint('d', before)).toMatchObject({ timestamp: at(-2), batteryPercent: undefined });
      expect(toRecordedPoint('d', before)).not.toHaveProperty('groundSpeed');
    });

    test('is undefined without a position', () => {
      expect(toRecordedPoint(id('device'), { timestamp: at(0) })).toBeUndefined();
    });
  });

  test.each([
    [1, 57.999, 57],
    [5, 57.999, 55],
    [5, 60, 60],
  ])('intervalOf gives the beginning of the %s s that %s s are in', (every, seconds, begin) => {
    expect(recordInterval(at(seconds), every)).toBe(Date.parse(at(begin)) / 1000);
  });

  describe('flownPoints', () => {
    const points = [0, 1, 2, 3].map((seconds) => ({
      deviceId: id('device'),
      timestamp: at(seconds),
      coordinates: [8.5, 47.4, 480] as [number, number, number],
    }));

    test.each([
      ['has begun', { startedAt: at(1 + 60) }, [1, 2, 3]],
      ['has ended', { startedAt: at(1 + 60), endedAt: at(2 - 60) }, [1, 2]],
      ['never began', { endedAt: at(2) }, []],
      ['has not begun', {}, []],
    ])('of a job that %s (%j) are those at %j', (_, times, seconds) => {
      expect(flownPoints(times, points).map(({ timestamp }) => timestamp)).toEqual(seconds.map(at));
    });
  });

  describe('tracksOf', () => {
    const point = (seconds: number, deviceId = id('device')): RecordedPoint => ({
      deviceId,
      timestamp: at(seconds),
      coordinates: [8.5, 47.4, 480],
    });
    const other = id('device', acme, '01jd0000000000000000000001');

    test('has a track for each device, in the order of their first positions', () => {
      const [one, two, three] = [point(0, other), point(1), point(2, other)];
      expect(groupByDevice([one, two, three])).toEqual([
        { deviceId: other, recorded: 2, lines: [[one, three]] },
        { deviceId: id('device'), recorded: 1, lines: [[two]] },
      ]);
      expect(groupByDevice([])).toEqual([]);
    });

    test('thins out a longer one evenly, with the first and the last position', () => {
      const count = 2 * MAX_TRACK_POSITIONS - 1;
      const [track] = groupByDevice(Array.from({ length: count }, (_, index) => point(index)));
      expect(track?.recorded).toBe(count);
      expect(track?.lines.map((line) => line.map(({ timestamp }) => timestamp))).toEqual([
        Array.from({ length: MAX_TRACK_POSITIONS }, (_, index) => at(2 * index)),
      ]);
    });

    test('has a line before and after each gap of a device, whatever another one reports meanwhile', () => {
      const [one, two, three, four] = [point(0), point(1), point(12), point(13)];
      expect(groupByDevice([one, two, point(6, other), three, four])).toMatchObject([
        {
          recorded: 4,
          lines: [
            [one, two],
            [three, four],
          ],
        },
        { deviceId: other },
      ]);
    });

    test('has no gap where only thinning out makes a step long', () => {
      const [track] = groupByDevice(Array.from({ length: 3 * MAX_TRACK_POSITIONS }, (_, index) => point(9 * index)));
      expect(track?.lines).toHaveLength(1);
    });
  });
});

describe('Until when a device is followed', () => {
  const until = 1795775400;
  const at = (second: number) => new Date((until + second) * 1000);

  test.each([
    ['before', -1, true, true],
    ['at', 0, false, true],
    ['a minute of clocks after', 59, false, true],
    ['more than a minute after', 60, false, false],
  ])('%s the end of the audience', (_, second, follows, subscribed) => {
    expect(isFollowed(until, at(second))).toBe(follows);
    expect(mayBeSubscribed(until, at(second))).toBe(subscribed);
  });

  test('nobody follows what nobody ever followed', () => {
    expect(isFollowed(undefined, at(0))).toBe(false);
    expect(mayBeSubscribed(undefined, at(0))).toBe(false);
  });
});

describe('Its track', () => {
  const begin = Date.parse('2026-11-27T10:30:00.000Z');

  describe('Track lines', () => {
    const point = (seconds: number) => ({ timestamp: new Date(begin + seconds * 1000).toISOString() });
    const points = (...seconds: number[]) => seconds.map(point);
    /** Lines of so many positions each, numbered throughout. */
    const lines = (...lengths: number[]) => {
      let next = 0;
      return lengths.map((length) => Array.from({ length }, () => next++));
    };

    describe('linesOf', () => {
      test('is one line as long as no two positions are more than ten seconds apart', () => {
        expect(splitAtGaps(points(0, MAX_GAP_S, 2 * MAX_GAP_S))).toEqual([points(0, 10, 20)]);
      });

      test('breaks the line at each gap, also around a single position', () => {
        expect(splitAtGaps(points(0, 1, 11.001, 30, 31))).toEqual([points(0, 1), points(11.001), points(30, 31)]);
      });

      test('has no line without positions', () => {
        expect(splitAtGaps([])).toEqual([]);
      });
    });

    describe('thinOutLines', () => {
      test('leaves lines as they are that have few enough positions', () => {
        expect(thinOutLines(lines(3, 1, 6), 10)).toEqual(lines(3, 1, 6));
      });

      test('thins out each line as much as the others, with both of its ends', () => {
        const [long = [], alone = [], short = []] = lines(81, 1, 21);
        expect(thinOutLines([long, alone, short], 24)).toEqual([
          [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80].map((index) => long[index]),
          alone,
          [0, 5, 10, 15, 20].map((index) => short[index]),
        ]);
      });

      test.each([
        ['lines of two', Array.from({ length: 40 }, () => 2)],
        ['positions that stand alone', Array.from({ length: 40 }, () => 1)],
        ['lines of any length', [1, 2, 3, 40, 1, 1, 7, 2]],
      ])('has no more positions than the maximum of %s, and the first and the last one', (_, lengths) => {
        const all = lines(...lengths);
        const thinned = thinOutLines(all, 20).flat();
        expect(thinned.length).toBeLessThanOrEqual(20);
        expect(thinned.length).toBeGreaterThanOrEqual(10);
        expect([thinned[0], thinned.at(-1)]).toEqual([0, all.flat().length - 1]);
      });
    });
  });

  describe('cutAtAntimeridian', () => {
    const point = (second: number, longitude: number, latitude = -17, altitude = 100): RecordedPoint => ({
      deviceId: id('device'),
      timestamp: new Date(begin + second * 1000).toISOString(),
      coordinates: [longitude, latitude, altitude],
    });
    const known = { groundSpeed: 12.5, heading: 90, droneState: 'WAYPOINT' };
    const longitudes = (...line: number[]) =>
      cutAtAntimeridian(line.map((longitude, second) => point(second, longitude))).map((part) =>
        part.map(({ coordinates }) => coordinates[0]),
      );

    test('leaves a line as it is that does not cross', () => {
      const line = [point(0, -0.5), { ...point(1, 0), ...known }, point(2, 179.9), point(3, 0.5)];
      expect(cutAtAntimeridian(line)).toEqual([line]);
      expect(cutAtAntimeridian([])).toEqual([]);
    });

    test('ends and begins at 180° where the line crosses, with nothing else known', () => {
      const [before, after] = [
        { ...point(0, 179.9, -17, 100), ...known },
        { ...point(4, -179.7, -17.4, 102), ...known },
      ];
      expect(cutAtAntimeridian([before, after])).toEqual([
        [before, point(1, 180, -17.1, 100.5)],
        [point(1, -180, -17.1, 100.5), after],
      ]);
    });

    test('cuts in both directions, as often as the line crosses', () => {
      expect(longitudes(-179.9, 179.9, 179.8, -179.9)).toEqual([
        [-179.9, -180],
        [180, 179.9, 179.8, 180],
        [-180, -179.9],
      ]);
    });

    test.each([
      [
        'before the crossing',
        [179.9, 180, -179.9],
        [
          [179.9, 180],
          [-180, -179.9],
        ],
      ],
      [
        'written as the other side',
        [179.9, -180, -179.9],
        [
          [179.9, 180],
          [-180, -179.9],
        ],
      ],
      [
        'twice',
        [179.9, 180, -180, -179.9],
        [
          [179.9, 180, 180],
          [-180, -179.9],
        ],
      ],
      ['at the beginning', [180, -179.9, -179.8], [[-180, -179.9, -179.8]]],
      ['at the end', [179.8, 179.9, -180], [[179.8, 179.9, 180]]],
      ['and back', [-179.9, 180, -179.9], [[-179.9, -180, -179.9]]],
      ['all along', [-180, 180], [[180, 180]]],
    ])('makes no line without length of a position on 180° %s', (_, line, parts) => {
      expect(longitudes(...line)).toEqual(parts);
    });
  });
});

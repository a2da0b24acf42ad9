import { fc } from '../../property-runs';
import {
  agesOf,
  asMeasured,
  measuredAt,
  mergeState,
  shownState,
  type KnownState,
} from '../../../domain/telemetry/known-state';
import { deviceState } from '../../../domain/telemetry/sample';
import { partsOf } from '../fixtures/parts-of-a-state';
import { fullSample } from '../fixtures/samples';

const begin = Date.parse('2026-11-27T10:30:00.000Z');
const at = (ms: number) => new Date(begin + ms).toISOString();
const merged = (states: readonly KnownState[]) =>
  states.reduce<KnownState | undefined>((known, next) => mergeState(known, next).state, undefined);

describe('mergeState', () => {
  const known: KnownState = {
    timestamp: at(0),
    droneState: 'HOVER',
    navigation: { position: { type: 'Point', coordinates: [8.5, 47.4, 480] }, orientation: { heading: 10, pitch: 2 } },
    battery: { percent: 80, voltage: 24 },
    jobId: 'a',
    progress: { percent: 10 },
  };

  test.each<[what: string, next: KnownState, expected: Partial<KnownState>]>([
    [
      'a battery alone',
      { timestamp: at(400), battery: { percent: 79 } },
      {
        timestamp: at(400),
        navigation: known.navigation,
        battery: { percent: 79, voltage: 24 },
        measuredBefore: {
          droneState: 0.4,
          'navigation.position': 0.4,
          'navigation.orientation': 0.4,
          'battery.voltage': 0.4,
          jobId: 0.4,
          progress: 0.4,
        },
      },
    ],
    [
      'an older value that is known',
      { timestamp: at(-100), battery: { percent: 90 } },
      { timestamp: at(0), battery: known.battery, measuredBefore: undefined },
    ],
    [
      'an older value that is not known',
      { timestamp: at(-100), weather: { rain: 1 } },
      { timestamp: at(0), weather: { rain: 1 }, measuredBefore: { weather: 0.1 } },
    ],
    [
      'a value of one time: the known one counts',
      { timestamp: at(0), battery: { percent: 1 } },
      { battery: known.battery },
    ],
    [
      'another value of one time',
      { timestamp: at(0), dockState: 'OPEN' },
      { dockState: 'OPEN', measuredBefore: undefined },
    ],
    ['nothing but a time', { timestamp: at(1) }, { timestamp: at(1), battery: known.battery }],
    ['another job', { timestamp: at(1), jobId: 'b' }, { jobId: 'b', progress: undefined }],
    ['the same job', { timestamp: at(1), jobId: 'a' }, { jobId: 'a', progress: { percent: 10 } }],
    ['in the air without a job', { timestamp: at(1), droneState: 'ORBIT' }, { jobId: 'a', progress: { percent: 10 } }],
    [
      'on the ground without a job',
      { timestamp: at(1), droneState: 'LANDED' },
      { jobId: undefined, progress: undefined, droneState: 'LANDED' },
    ],
    [
      'on the ground with a job',
      { timestamp: at(1), droneState: 'LANDED', jobId: 'a' },
      { jobId: 'a', droneState: 'LANDED' },
    ],
    [
      'a state that says nothing of the ground, without a job',
      { timestamp: at(1), droneState: 'CHARGING' },
      { jobId: 'a' },
    ],
  ])('%s', (_what, next, expected) => {
    for (const [name, value] of Object.entries(expected))
      expect(mergeState(known, next).state[name as keyof KnownState]).toEqual(value);
  });

  test.each<[what: string, next: KnownState, expected: KnownState | undefined]>([
    ['a repeat', known, undefined],
    ['an older repeat', { ...known, timestamp: at(-1) }, undefined],
    ['a later repeat', { ...known, timestamp: at(1) }, { ...known, timestamp: at(1) }],
    ['nothing but a later time', { timestamp: at(1) }, { timestamp: at(1) }],
    ['nothing but an earlier time', { timestamp: at(-1) }, undefined],
    [
      'a known and an unknown value of one time',
      { timestamp: at(0), battery: { percent: 1, remainingFlightTime: 5 } },
      { timestamp: at(0), battery: { remainingFlightTime: 5 } },
    ],
    ['an earlier job', { timestamp: at(-5), jobId: 'b' }, undefined],
  ])('what of it is new: %s', (_what, next, expected) => {
    expect(mergeState(known, next).taken).toEqual(expected);
  });

  const landed: KnownState = { timestamp: at(0), droneState: 'LANDED' };
  const flying = { timestamp: at(0), droneState: 'HOVER', jobId: 'a' };
  test.each<
    [
      what: string,
      before: KnownState | undefined,
      late: KnownState,
      expected: [jobId?: string | undefined, percent?: number],
    ]
  >([
    ['a job of before it landed', landed, { timestamp: at(-5), jobId: 'b', progress: { percent: 5 } }, []],
    ['a job of when it landed', landed, { timestamp: at(0), jobId: 'b' }, ['b']],
    ['progress of before it landed', landed, { timestamp: at(-5), progress: { percent: 5 } }, []],
    ['progress of another job', flying, { timestamp: at(-5), jobId: 'b', progress: { percent: 5 } }, ['a']],
    ['progress of the same job', flying, { timestamp: at(-5), jobId: 'a', progress: { percent: 5 } }, ['a', 5]],
    ['progress of no named job, by then', flying, { timestamp: at(-5), progress: { percent: 5 } }, ['a']],
    ['progress of no named job, since', flying, { timestamp: at(5), progress: { percent: 5 } }, ['a', 5]],
    [
      'progress that is later than what is known of the job',
      mergeState(flying, { timestamp: at(-9), jobId: 'a', progress: { percent: 1 } }).state,
      { timestamp: at(-5), progress: { percent: 5 } },
      ['a', 5],
    ],
    ['progress before any job', undefined, { timestamp: at(-5), progress: { percent: 5 } }, [undefined, 5]],
  ])('what ended stays so, in any order: %s', (_what, before, late, [jobId, percent]) => {
    const orders = before ? [merged([before, late]), merged([late, before])] : [merged([late])];
    for (const state of orders) expect([state?.jobId, state?.progress?.percent]).toEqual([jobId, percent]);
  });

  test.each<[what: string, state: KnownState, expected: KnownState]>([
    ['of a job', known, known],
    ['of none', { timestamp: at(0), progress: { percent: 5 } }, { timestamp: at(0) }],
    [
      'of none, and what is older',
      { timestamp: at(0), progress: { percent: 5 }, dockState: 'OPEN', measuredBefore: { progress: 1, dockState: 2 } },
      { timestamp: at(0), dockState: 'OPEN', measuredBefore: { dockState: 2 } },
    ],
  ])('progress %s is shown with its job only', (_what, state, expected) => {
    expect(shownState(state)).toEqual(expected);
  });

  describe('data of a vendor', () => {
    const payload = (timestamp: number, sensorPayload: NonNullable<KnownState['sensorPayload']>): KnownState => ({
      timestamp: at(timestamp),
      sensorPayload,
    });
    test.each<[what: string, before: KnownState, next: KnownState, expected: object | undefined, isNew: boolean]>([
      ['is gone with the next sample', payload(0, { a: 1 }), { timestamp: at(1) }, undefined, true],
      ['is joined when it is of one time', payload(0, { a: 1 }), payload(0, { b: 2 }), { a: 1, b: 2 }, true],
      ['counts as it came first', payload(0, { a: 1 }), payload(0, { a: 2 }), { a: 1 }, false],
      ['is not that of an earlier time', payload(0, { a: 1 }), payload(-1, { b: 2 }), { a: 1 }, false],
      [
        'leaves the camera',
        payload(0, { a: 1, camera: { zoom: 2, orientation: { pitch: -90 } } }),
        { timestamp: at(1) },
        { camera: { orientation: { pitch: -90 } } },
        true,
      ],
      [
        'has the camera of its own',
        payload(0, { camera: { orientation: { pitch: -90 } } }),
        payload(1, { camera: { zoom: 3 } }),
        { camera: { zoom: 3, orientation: { pitch: -90 } } },
        true,
      ],
      [
        'is joined, also that of the camera',
        payload(0, { a: 1, camera: { zoom: 2 } }),
        payload(0, { camera: { zoom: 9, iso: 100 } }),
        { a: 1, camera: { zoom: 2, iso: 100 } },
        true,
      ],
    ])('%s', (_what, before, next, expected, isNew) => {
      const { state, taken } = mergeState(before, next);
      expect([state.sensorPayload, taken !== undefined]).toEqual([expected, isNew]);
      // Who is told what is new knows the same.
      if (taken) expect(mergeState(before, taken).state).toEqual(state);
    });
  });

  const whole = deviceState.parse({ ...fullSample, timestamp: at(0) });
  const parts = partsOf(whole);

  test('the values of a state together are the state', () => {
    expect(parts).toHaveLength(22);
    expect(merged(parts.map((part) => ({ timestamp: at(0), ...part })))).toEqual(whole);
  });

  test('property: any split of a state, in any order, with repeats, is the same state', () => {
    const split = fc.record({
      order: fc.shuffledSubarray([...parts.keys()], { minLength: parts.length }),
      again: fc.shuffledSubarray([...parts.keys()]),
      ms: fc.array(fc.integer({ min: 0, max: 999 }), { minLength: parts.length, maxLength: parts.length }),
    });
    fc.assert(
      fc.property(split, ({ order, again, ms }) => {
        const pieces = parts.map((part, index): KnownState => ({ timestamp: at(ms[index] ?? 0), ...part }));
        const all = [...order, ...again].flatMap((index) => pieces[index] ?? []);
        expect(merged(all)).toEqual(merged(pieces));
        // Two writers that know nothing of each other.
        const [one, other] = [merged(all.slice(0, 9)), merged(all.slice(9))];
        expect(one && other && mergeState(other, one).state).toEqual(merged(pieces));
      }),
    );
  });

  test('property: jobs that follow each other, their progress, and the landing, in any order, with repeats, are the same', () => {
    /** What a device reports every 100 ms: one job, then another, then it has landed; each sample names what it flies. */
    const flight = fc
      .array(fc.option(fc.nat(100), { nil: undefined }), { minLength: 6, maxLength: 12 })
      .chain((percents) => {
        const next = Math.floor(percents.length / 2);
        const reports = percents.map((percent, index): KnownState => ({
          timestamp: at(index * 100),
          droneState: 'WAYPOINT',
          jobId: index < next ? 'a' : 'b',
          ...(percent !== undefined && { progress: { percent } }),
        }));
        const all = fc.constantFrom(reports, [...reports, { timestamp: at(5000), droneState: 'LANDED' }]);
        return all.chain((states) =>
          fc.tuple(
            fc.constant(states),
            fc.shuffledSubarray([...states, ...states.slice(-3)], { minLength: states.length + 3 }),
          ),
        );
      });
    fc.assert(
      fc.property(flight, ([inOrder, shuffled]) => {
        expect(merged(shuffled)).toEqual(merged(inOrder));
      }),
    );
  });

  test.each<[what: string, told: string[], expected: object | undefined]>([
    ['all of it', ['battery', 'jobId', 'navigation'], { battery: 1, 'battery.voltage': 2, jobId: 3 }],
    ['a part', ['battery', 'droneState'], { battery: 1, 'battery.voltage': 2 }],
    ['what is of its time', ['droneState'], undefined],
  ])('a message that tells %s has the ages of that', (_what, told, expected) => {
    const measuredBefore = { battery: 1, 'battery.voltage': 2, jobId: 3 };
    expect(agesOf({ measuredBefore }, told)).toEqual(expected);
    expect(agesOf({}, told)).toBeUndefined();
  });

  test('a value says when it was measured, and a state can have the time of one', () => {
    const state = mergeState(known, { timestamp: at(2500), battery: { percent: 70 } }).state;
    expect(measuredAt(state, 'battery.percent')).toBe(begin + 2500);
    expect(measuredAt(state, 'battery.voltage')).toBe(begin);
    expect(measuredAt(state, 'weather.rain')).toBeUndefined();
    expect(asMeasured(state, 'progress').timestamp).toBe(at(0));
    expect(() => measuredAt(state, 'battery.perzent')).toThrow('battery.perzent is no value of a state');
  });
});

import { progress } from '../../domain/jobs/progress';
import { deviceState } from '../../domain/telemetry/sample';
import { lifecycle, type JobStatus } from '../../domain/jobs/job-lifecycle';
import { courseOf, type Flight } from '../../packages/simulator/course';
import { dockPositionOf } from '../../packages/simulator/dock';
import { atRest, flightAt } from '../../packages/simulator/flight';
import { failures, planOf } from '../../packages/simulator/mission-plan';
import { progressAt } from '../../packages/simulator/progress';
import { freeAt, reportsOf } from '../../packages/simulator/reports';
import { timesOf } from '../../packages/simulator/timeline';
import { fc } from '../property-runs';

const dockedS = (flight: Flight) => timesOf(courseOf(flight)).docked;
/** A mission of so many laps. */
const ofLaps = (laps: number, failure?: Flight['plan']['failure']): Flight => ({
  seed: 's',
  jobId: 'job-1',
  plan: { failure, laps },
  dock: dockPositionOf('s', 'g', 'd'),
});
/** A flight to a place so many metres north and east of the dock; its altitude is absolute. */
function toPlace(
  [north, east]: readonly [number, number],
  action: string,
  flight: Flight['plan']['flight'] = {},
  rest: { failure?: Flight['plan']['failure']; altitude?: number } = {},
): Flight {
  const dock = dockPositionOf('s', 'g', 'd');
  const latitude = dock.latitude + north / 111_320;
  const longitude = dock.longitude + east / (111_320 * Math.cos((dock.latitude * Math.PI) / 180));
  const location = { type: 'Point' as const, coordinates: placeAt(longitude, latitude, rest.altitude) };
  return { ...ofLaps(1, rest.failure), plan: { failure: rest.failure, laps: 1, place: { location, action }, flight } };
}
const placeAt = (longitude: number, latitude: number, altitude?: number): [number, number, number?] =>
  altitude === undefined ? [longitude, latitude] : [longitude, latitude, altitude];

/** A flight along a line of waypoints: metres north and east of the dock, and their height. */
function along(
  points: readonly (readonly [north: number, east: number, height?: number])[],
  heightReference: 'TAKE_OFF' | 'SEA_LEVEL' | 'JOB' = 'TAKE_OFF',
  flight: Flight['plan']['flight'] = {},
): Flight {
  const waypoints = points.map(([north, east, height]) => {
    const { dock, plan } = toPlace([north, east], 'MISSION');
    const [longitude = 0, latitude = 0] = plan.place?.location.coordinates ?? [];
    if (height === undefined) return [longitude, latitude] as const;
    return [longitude, latitude, heightReference === 'SEA_LEVEL' ? height + dock.altitude : height] as const;
  });
  return { ...ofLaps(1), plan: { laps: 1, flight, line: { waypoints, heightReference } } };
}

const flights = fc
  .record({
    seed: fc.string(),
    jobId: fc.string(),
    plan: fc.record({ failure: fc.constantFrom(undefined, ...failures), laps: fc.integer({ min: 1, max: 100 }) }),
    place: fc.option(
      fc.record({
        offset: fc.tuple(fc.integer({ min: -3000, max: 3000 }), fc.integer({ min: -3000, max: 3000 })),
        action: fc.constantFrom('HOVER', 'ORBIT', 'MISSION'),
        settings: fc.record(
          {
            height: fc.integer({ min: 1, max: 500 }),
            speed: fc.integer({ min: 1, max: 20 }),
            orbitRadius: fc.integer({ min: 5, max: 300 }),
            holdSeconds: fc.integer({ min: 0, max: 3600 }),
          },
          { requiredKeys: [] },
        ),
      }),
    ),
  })
  .map(({ place, ...flight }): Flight => {
    const to = place && toPlace(place.offset, place.action, place.settings);
    const dock = to?.dock ?? dockPositionOf(flight.seed, 'group', 'device');
    return { ...flight, dock, plan: { ...to?.plan, ...flight.plan } };
  });
const moments = fc.oneof(
  fc.double({ min: 0, max: dockedS(ofLaps(1)) + 10, noNaN: true }),
  fc.double({ min: 0, max: dockedS(ofLaps(100)) + 10, noNaN: true }),
);

const positionAt = (flight: Flight, t: number) => flightAt(flight, t)?.navigation.position.coordinates ?? [];

/** Metres between two positions. */
function distance([x0 = 0, y0 = 0, z0 = 0]: number[], [x1 = 0, y1 = 0, z1 = 0]: number[]): number {
  const metres = 111_320;
  return Math.hypot((x1 - x0) * metres * Math.cos((y0 * Math.PI) / 180), (y1 - y0) * metres, z1 - z0);
}

test('every sample of a simulated device is valid telemetry', () => {
  fc.assert(
    fc.property(flights, moments, (flight, t) => {
      const state = flightAt(flight, t);
      if (!state) expect(flight.plan.failure).toBe('link-loss');
      else expect(deviceState.parse({ timestamp: '2026-11-27T10:30:00.000Z', ...state })).toMatchObject(state);
    }),
  );
  expect(
    deviceState.parse({ timestamp: '2026-11-27T10:30:00.000Z', ...atRest(dockPositionOf('', '', '')) }).simulated,
  ).toBe(true);
});

test('a flight is reproducible, and differs between jobs', () => {
  const flight = { seed: 's', jobId: 'job-1', plan: { laps: 1 }, dock: dockPositionOf('s', 'group', 'device') };
  expect(flightAt(flight, 30)).toEqual(flightAt({ ...flight }, 30));
  expect(positionAt({ ...flight, jobId: 'job-2' }, 30)).not.toEqual(positionAt(flight, 30));
  expect(dockPositionOf('s', 'group', 'other')).not.toEqual(flight.dock);
});

test('a flight begins and ends at its dock', () => {
  fc.assert(
    fc.property(flights, (flight) => {
      const { longitude, latitude, altitude } = flight.dock;
      for (const t of [0, dockedS(flight)])
        expect(distance(positionAt(flight, t), [longitude, latitude, altitude])).toBeLessThan(0.1);
    }),
  );
});

test('a drone moves continuously, consistent with its reported speeds and within a drone’s limits', () => {
  fc.assert(
    fc.property(flights, moments, (flight, t) => {
      const [before, after] = [positionAt(flight, t), positionAt(flight, t + 0.5)];
      const state = flightAt(flight, t + 0.25);
      if (!state || before.length === 0 || after.length === 0) return;
      const { groundSpeed, verticalSpeed } = state.navigation.velocity;
      expect(Math.abs(distance(before, after) / 0.5 - Math.hypot(groundSpeed, verticalSpeed))).toBeLessThan(1.5);
      expect(groundSpeed).toBeLessThan(25);
      expect(Math.abs(verticalSpeed)).toBeLessThan(10);
    }),
  );
});

test.each([undefined, ...failures])('the reports of a mission follow the lifecycle (simulate: %s)', (failure) => {
  const flight = ofLaps(1, failure);
  const reports = reportsOf(flight);
  let status: JobStatus = 'PENDING';
  for (const report of reports) {
    expect(lifecycle[status].next).toContain(report.status);
    status = report.status;
  }
  expect(status).toBe(failure ? 'FAILED' : 'COMPLETED');
  expect(reports.map(({ at }) => at)).toEqual(reports.map(({ at }) => at).sort((a, b) => a - b));
  expect(reports.at(-1)?.at).toBeLessThanOrEqual(freeAt(flight));
});

test('simulated failures show in the samples: lost link, low battery, closed dock', () => {
  const of = (failure: Flight['plan']['failure'], t: number) => flightAt(ofLaps(1, failure), t);
  expect(of('link-loss', 40)).toBeUndefined();
  expect(of(undefined, 60)?.battery.percent).toBeGreaterThan(85);
  expect(of('low-battery', 60)?.battery.percent).toBeLessThan(30);
  expect(of('abort', 45)?.droneState).toBe('RETURNING');
  expect(of('dock-fault', 12)).toMatchObject({ droneState: 'DOCKED', dockState: 'FAULT' });
});

test('a mission of forty laps stays in the air for half an hour and lands with a quarter of its charge', () => {
  const flight = ofLaps(40);
  expect(flightAt(flight, 1600)).toMatchObject({ droneState: 'WAYPOINT', dockState: 'TASK_INPROGRESS' });
  const speeds = Array.from(
    { length: 160 },
    (_, ten) => flightAt(flight, 35 + ten * 10)?.navigation.velocity.groundSpeed,
  );
  for (const speed of speeds) expect(speed).toBeGreaterThan(4);
  expect(reportsOf(flight).at(-1)).toEqual({ at: dockedS(flight), status: 'COMPLETED' });
  expect(dockedS(flight)).toBeGreaterThan(28 * 60);
  expect(flightAt(flight, dockedS(flight))).toMatchObject({ droneState: 'DOCKED', battery: { percent: 25 } });
});

test.each<[Record<string, unknown> | undefined, object]>([
  [undefined, { laps: 1, speed: 1 }],
  [
    { simulate: 'abort', simulateLaps: 40, simulateSpeed: '5', simulateCommands: 'late' },
    { failure: 'abort', laps: 40, speed: 5, commands: 'late' },
  ],
  [
    { simulate: 'crash', simulateLaps: 101, simulateSpeed: 0, simulateCommands: 'never' },
    { laps: 1, speed: 1 },
  ],
  [
    { simulateLaps: 'many', simulateSpeed: -3 },
    { laps: 1, speed: 1 },
  ],
])('metadata %j asks for the mission %j', (metadata, plan) => {
  expect(planOf({ metadata })).toEqual({ failure: undefined, ...plan });
});

/** What a flight reports, second by second, in the air. */
const samplesOf = (flight: Flight) =>
  Array.from({ length: Math.ceil(dockedS(flight)) }, (_, t) => flightAt(flight, t)).filter((one) => one !== undefined);

test('a drone flies to the place, stays there as long and as high as asked, and comes back', () => {
  const flight = toPlace([800, -600], 'HOVER', { height: 40, speed: 12, holdSeconds: 90 });
  const [longitude = 0, latitude = 0] = flight.plan.place?.location.coordinates ?? [];
  const target = [longitude, latitude, flight.dock.altitude + 40];
  const samples = samplesOf(flight);
  const near = samples.filter(({ navigation }) => distance(navigation.position.coordinates, target) < 5);
  expect(near.length).toBeGreaterThanOrEqual(90);
  expect(near.length).toBeLessThan(110);
  expect(samples.filter(({ droneState }) => droneState === 'HOVER').length).toBeCloseTo(90, -1);
  const speeds = samples.map(({ navigation }) => navigation.velocity.groundSpeed);
  expect(Math.max(...speeds)).toBeCloseTo(12, 1);
  expect(samples.at(-1)).toMatchObject({ droneState: 'LANDED' });
  expect(reportsOf(flight)[0]).toMatchObject({ plannedFlight: { height: 40, speed: 12, holdSeconds: 90 } });
});

test('a drone circles a place at the radius asked', () => {
  const flight = toPlace([300, 400], 'ORBIT', { orbitRadius: 50, holdSeconds: 100 }, { altitude: 650 });
  const [longitude = 0, latitude = 0] = flight.plan.place?.location.coordinates ?? [];
  const circling = samplesOf(flight).filter(({ droneState }) => droneState === 'ORBIT');
  expect(circling.length).toBeCloseTo(100, -1);
  for (const { navigation } of circling)
    expect(distance(navigation.position.coordinates, [longitude, latitude, 650])).toBeCloseTo(50, 0);
});

test('a mission at a place is flown there', () => {
  const flight = toPlace([500, 0], 'MISSION');
  const home = [flight.dock.longitude, flight.dock.latitude, flight.dock.altitude + 60];
  const way = samplesOf(flight).map(({ navigation }) => distance(navigation.position.coordinates, home));
  expect(way.filter((metres) => metres > 350).length).toBeGreaterThan(42);
});

test('a place across 180° is reached by the short way', () => {
  const dock = { longitude: 179.999, latitude: -17, altitude: 0 };
  const location = { type: 'Point' as const, coordinates: placeAt(-179.999, -17) };
  const flight = { ...ofLaps(1), dock, plan: { laps: 1, place: { location, action: 'HOVER' } } };
  expect(dockedS(flight)).toBeLessThan(300);
  const hovering = samplesOf(flight).find(({ droneState }) => droneState === 'HOVER');
  expect(hovering?.navigation.position.coordinates[0]).toBeCloseTo(-179.999, 6);
});

test.each([
  ['farther than its charge', toPlace([9000, 0], 'HOVER'), 'LOW_BATTERY'],
  ['longer than its charge', toPlace([100, 0], 'HOVER', { holdSeconds: 3600 }), 'LOW_BATTERY'],
  ['below the dock', toPlace([100, 0], 'HOVER', {}, { altitude: 300 }), 'UNREACHABLE'],
  ['too high', toPlace([100, 0], 'HOVER', {}, { altitude: 1200 }), 'UNREACHABLE'],
])('a place %s is refused before the flight, with the reason', (_, flight, reason) => {
  expect(reportsOf(flight)).toEqual([{ at: 0, status: 'FAILED', reason }]);
  expect(freeAt(flight)).toBe(0);
});

test('a simulated failure lets a drone turn back on its way to a place', () => {
  const flight = toPlace([1000, 0], 'HOVER', {}, { failure: 'abort' });
  const home = [flight.dock.longitude, flight.dock.latitude, flight.dock.altitude + 60];
  const way = samplesOf(flight).map(({ navigation }) => distance(navigation.position.coordinates, home));
  expect(Math.max(...way)).toBeCloseTo(400, 0);
  expect(reportsOf(flight).at(-1)).toMatchObject({ status: 'FAILED', reason: 'ABORTED' });
});

test('the progress of a flight is valid, grows, and is complete when the drone stands in its dock', () => {
  fc.assert(
    fc.property(flights, moments, fc.integer({ min: 1, max: 100 }), (flight, t, speed) => {
      const reported = [progressAt(flight, t, speed), progressAt(flight, t + 5, speed)];
      const flies = reportsOf(flight).some(({ status }) => status === 'IN_PROGRESS');
      expect(reported.map((one) => one !== undefined)).toEqual([flies, flies]);
      const [before, after] = reported;
      if (!before || !after) return;
      expect(progress.parse(before)).toEqual(before);
      expect(after.percent).toBeGreaterThanOrEqual(before.percent);
    }),
  );
  expect(progressAt(ofLaps(1), 0, 1)).toMatchObject({ percent: 0, secondsLeft: Math.round(dockedS(ofLaps(1))) });
  expect(progressAt(ofLaps(1), dockedS(ofLaps(1)) + 1, 1)).toEqual({ percent: 100, distanceLeft: 0, secondsLeft: 0 });
});

test('what is left of a flight leads to the place until the drone is there, then to the dock, in real time', () => {
  const flight = toPlace([800, -600], 'HOVER', { height: 40, speed: 10, holdSeconds: 90 });
  const { cruise } = timesOf(courseOf(flight));
  const way = 1000 / 10 + 15;
  const [begin, halfWay, there] = [cruise, cruise + way / 2, cruise + way + 1].map((t) => progressAt(flight, t, 1));
  expect(begin).toMatchObject({ distanceLeft: 1000, secondsLeft: way });
  expect(halfWay?.distanceLeft).toBeCloseTo(500, 0);
  expect(there).toMatchObject({ distanceLeft: 1040, secondsLeft: Math.round(dockedS(flight) - cruise - way - 1) });
  expect(progressAt(flight, cruise, 5)).toEqual({ ...begin, secondsLeft: way / 5 });
});

test.each([
  ['turned back', ofLaps(1, 'abort'), 50],
  ['is out of reach', ofLaps(1, 'link-loss'), 43],
] as const)('a drone that %s has not come farther', (_, flight, most) => {
  const last = progressAt(flight, dockedS(flight), 1);
  expect(last?.percent).toBeGreaterThan(20);
  expect(last?.percent).toBeLessThan(most);
});

test.each([
  ['whose dock does not open', ofLaps(1, 'dock-fault')],
  ['to a place that it refuses', toPlace([9000, 0], 'HOVER')],
])('a mission %s has no progress', (_, flight) => {
  expect(progressAt(flight, 8, 1)).toBeUndefined();
});

describe('A flight along a line', () => {
  const points = [
    [100, 0, 40],
    [100, 200, 40],
    [300, 200, 80],
  ] as const;
  const nearest = (flight: Flight, [north, east, height]: readonly [number, number, number]) => {
    const { dock } = flight;
    const [longitude = 0, latitude = 0] = toPlace([north, east], 'HOVER').plan.place?.location.coordinates ?? [];
    const perDegree = 111_320;
    const distances = Array.from({ length: Math.ceil(dockedS(flight)) * 4 }, (_, quarter) => {
      const [x = 0, y = 0, up = 0] = flightAt(flight, quarter / 4)?.navigation.position.coordinates ?? [];
      const eastOff = (x - longitude) * perDegree * Math.cos((latitude * Math.PI) / 180);
      return Math.hypot(eastOff, (y - latitude) * perDegree, up - dock.altitude - height);
    });
    return Math.min(...distances);
  };

  test.each(['TAKE_OFF', 'SEA_LEVEL'] as const)('passes each waypoint at its height above %s', (reference) => {
    const flight = along(points, reference, { speed: 8 });
    for (const point of points) expect(nearest(flight, point)).toBeLessThan(3);
    expect(reportsOf(flight).map(({ status }) => status)).toEqual(['QUEUED', 'IN_PROGRESS', 'COMPLETED']);
    expect(reportsOf(flight)[0]?.plannedFlight).toEqual({ speed: 8 });
  });

  test('of a mission without heights is flown at the height of the job', () => {
    const flat = points.map(([north, east]) => [north, east] as const);
    const flight = along(flat, 'JOB', { height: 50 });
    for (const [north, east] of points) expect(nearest(flight, [north, east, 50])).toBeLessThan(3);
    expect(reportsOf(flight)[0]?.plannedFlight).toEqual({ height: 50, speed: 10 });
  });

  test.each([
    [
      'a waypoint is below the dock',
      [
        [100, 0, -5],
        [100, 50, 40],
      ],
      'UNREACHABLE',
    ],
    [
      'it is too long for the charge',
      [
        [100, 0, 40],
        [9000, 9000, 40],
      ],
      'LOW_BATTERY',
    ],
  ] as const)('is refused before it begins when %s', (_, line, reason) => {
    expect(reportsOf(along(line))).toEqual([{ at: 0, status: 'FAILED', reason }]);
  });
});

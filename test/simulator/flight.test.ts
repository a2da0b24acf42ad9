import * as fc from 'fast-check';
import { deviceState } from '../../domain/telemetry';
import { lifecycle, type JobStatus } from '../../domain/job-lifecycle';
import { atRest, flightAt, type Flight } from '../../simulator/flight';
import { dockPositionOf } from '../../simulator/dock-position';
import { dockedS, failures, freeAt, planOf, reportsOf } from '../../simulator/mission-plan';

const flights = fc
  .record({
    seed: fc.string(),
    jobId: fc.string(),
    plan: fc.record({ failure: fc.constantFrom(undefined, ...failures), laps: fc.integer({ min: 1, max: 100 }) }),
  })
  .map((flight): Flight => ({ ...flight, dock: dockPositionOf(flight.seed, 'group', 'device') }));
const moments = fc.oneof(
  fc.double({ min: 0, max: dockedS(1) + 10, noNaN: true }),
  fc.double({ min: 0, max: dockedS(100) + 10, noNaN: true }),
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
      for (const t of [0, dockedS(flight.plan.laps)])
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
  const plan = { failure, laps: 1, speed: 1 };
  const reports = reportsOf(plan);
  let status: JobStatus = 'PENDING';
  for (const report of reports) {
    expect(lifecycle[status].next).toContain(report.status);
    status = report.status;
  }
  expect(status).toBe(failure ? 'FAILED' : 'COMPLETED');
  expect(reports.map(({ at }) => at)).toEqual(reports.map(({ at }) => at).sort((a, b) => a - b));
  expect(reports.at(-1)?.at).toBeLessThanOrEqual(freeAt(plan));
});

test('simulated failures show in the samples: lost link, low battery, closed dock', () => {
  const of = (failure: Flight['plan']['failure'], t: number) =>
    flightAt({ seed: 's', jobId: 'job-1', plan: { failure, laps: 1 }, dock: dockPositionOf('s', 'g', 'd') }, t);
  expect(of('link-loss', 40)).toBeUndefined();
  expect(of(undefined, 60)?.battery.percent).toBeGreaterThan(85);
  expect(of('low-battery', 60)?.battery.percent).toBeLessThan(30);
  expect(of('abort', 45)?.droneState).toBe('RETURNING');
  expect(of('dock-fault', 12)).toMatchObject({ droneState: 'DOCKED', dockState: 'FAULT' });
});

test('a mission of forty laps stays in the air for half an hour and lands with a quarter of its charge', () => {
  const flight = { seed: 's', jobId: 'job-1', plan: { laps: 40 }, dock: dockPositionOf('s', 'g', 'd') };
  expect(flightAt(flight, 1600)).toMatchObject({ droneState: 'WAYPOINT', dockState: 'TASK_INPROGRESS' });
  const speeds = Array.from(
    { length: 160 },
    (_, ten) => flightAt(flight, 35 + ten * 10)?.navigation.velocity.groundSpeed,
  );
  for (const speed of speeds) expect(speed).toBeGreaterThan(4);
  expect(reportsOf({ laps: 40, speed: 1 }).at(-1)).toEqual({ at: dockedS(40), status: 'COMPLETED' });
  expect(dockedS(40)).toBeGreaterThan(28 * 60);
  expect(flightAt(flight, dockedS(40))).toMatchObject({ droneState: 'DOCKED', battery: { percent: 25 } });
});

test.each<[Record<string, unknown> | undefined, object]>([
  [undefined, { laps: 1, speed: 1 }],
  [
    { simulate: 'abort', simulateLaps: 40, simulateSpeed: '5' },
    { failure: 'abort', laps: 40, speed: 5 },
  ],
  [
    { simulate: 'crash', simulateLaps: 101, simulateSpeed: 0 },
    { laps: 1, speed: 1 },
  ],
  [
    { simulateLaps: 'many', simulateSpeed: -3 },
    { laps: 1, speed: 1 },
  ],
])('metadata %j asks for the mission %j', (metadata, plan) => {
  expect(planOf(metadata)).toEqual({ failure: undefined, ...plan });
});

import * as fc from 'fast-check';
import { deviceState } from '../../domain/telemetry';
import { lifecycle, type JobStatus } from '../../domain/job-lifecycle';
import { atRest, flightAt, type Flight } from '../../simulator/flight';
import { homeOf } from '../../simulator/home';
import { DOCKED, failures, freeAt, reportsOf } from '../../simulator/plan';

const flights = fc
  .record({ seed: fc.string(), jobId: fc.string(), failure: fc.constantFrom(undefined, ...failures) })
  .map(({ seed, jobId, failure }): Flight => ({ seed, jobId, failure, home: homeOf(seed, 'group', 'device') }));
const moments = fc.double({ min: 0, max: DOCKED + 10, noNaN: true });

const positionAt = (flight: Flight, t: number) => flightAt(flight, t)?.navigation.position.coordinates ?? [];

/** Metres between two positions. */
function distance([x0 = 0, y0 = 0, z0 = 0]: number[], [x1 = 0, y1 = 0, z1 = 0]: number[]): number {
  const metres = 111_320;
  return Math.hypot((x1 - x0) * metres * Math.cos((y0 * Math.PI) / 180), (y1 - y0) * metres, z1 - z0);
}

test('Whatever a simulated device says is telemetry that the service takes', () => {
  fc.assert(
    fc.property(flights, moments, (flight, t) => {
      const state = flightAt(flight, t);
      if (!state) expect(flight.failure).toBe('link-loss');
      else expect(deviceState.parse({ timestamp: '2026-11-27T10:30:00.000Z', ...state })).toMatchObject(state);
    }),
  );
  expect(deviceState.parse({ timestamp: '2026-11-27T10:30:00.000Z', ...atRest(homeOf('', '', '')) }).simulated).toBe(
    true,
  );
});

test('The same flight is flown again, and another job flies another one', () => {
  const flight = { seed: 's', jobId: 'job-1', failure: undefined, home: homeOf('s', 'group', 'device') };
  expect(flightAt(flight, 30)).toEqual(flightAt({ ...flight }, 30));
  expect(positionAt({ ...flight, jobId: 'job-2' }, 30)).not.toEqual(positionAt(flight, 30));
  expect(homeOf('s', 'group', 'other')).not.toEqual(flight.home);
});

test('A flight begins and ends at its dock', () => {
  fc.assert(
    fc.property(flights, (flight) => {
      const { longitude, latitude, altitude } = flight.home;
      for (const t of [0, DOCKED])
        expect(distance(positionAt(flight, t), [longitude, latitude, altitude])).toBeLessThan(0.1);
    }),
  );
});

test('It moves as its speeds say, without a jump, at speeds that a drone has', () => {
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

test.each([undefined, ...failures])(
  'What a mission reports is a way through the lifecycle (simulate: %s)',
  (failure) => {
    const reports = reportsOf(failure);
    let status: JobStatus = 'PENDING';
    for (const report of reports) {
      expect(lifecycle[status]).toContain(report.status);
      status = report.status;
    }
    expect(status).toBe(failure ? 'FAILED' : 'COMPLETED');
    expect(reports.map(({ at }) => at)).toEqual(reports.map(({ at }) => at).sort((a, b) => a - b));
    expect(reports.at(-1)?.at).toBeLessThanOrEqual(freeAt(failure));
  },
);

test('A failure shows: the link is silent, the battery runs low, the dock stays shut', () => {
  const of = (failure: Flight['failure'], t: number) =>
    flightAt({ seed: 's', jobId: 'job-1', failure, home: homeOf('s', 'g', 'd') }, t);
  expect(of('link-loss', 40)).toBeUndefined();
  expect(of(undefined, 60)?.battery.percent).toBeGreaterThan(85);
  expect(of('low-battery', 60)?.battery.percent).toBeLessThan(30);
  expect(of('abort', 45)?.droneState).toBe('RETURNING');
  expect(of('dock-fault', 12)).toMatchObject({ droneState: 'DOCKED', dockState: 'FAULT' });
});

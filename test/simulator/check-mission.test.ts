import { EVENT_VERSION } from '../../domain/platform/outbound-events';
import { checkMission } from '../../packages/simulator/check-mission';
import { dockPositionOf } from '../../packages/simulator/dock';
import { acme, id } from '../domain/fixtures/samples';

const seed = 'test';
const deviceGroupId = id('group');
const deviceId = id('device');
const other = id('device', acme, '01jd0000000000000000000009');
const devices = [
  { kind: 'device' as const, deviceId, deviceGroupId },
  { kind: 'device' as const, deviceId: other, deviceGroupId },
];
const dock = dockPositionOf(seed, deviceGroupId, deviceId);

/** A place so many metres north of the dock. */
const north = (metres: number, altitude?: number) => ({
  type: 'Point',
  coordinates: [dock.longitude, dock.latitude + metres / 111_320, ...(altitude === undefined ? [] : [altitude])],
});
const check = (fields: object, fleet = devices) =>
  checkMission(
    {
      requestId: 'check-1',
      eventVersion: EVENT_VERSION,
      organisationId: `org-${acme}`,
      at: '2026-11-27T10:30:00.000Z',
      deviceGroupId,
      ...fields,
    },
    fleet,
    seed,
  );

describe('The check of a simulated mission', () => {
  test('of a place says what the flight there and back takes', () => {
    const flight = { height: 40, speed: 10, holdSeconds: 100 };
    const { length, ...needs } = check({ deviceId, desiredLocation: north(900), flight });
    // Out and back 900 m at 10 m/s and 15 s of ramps each, 100 s there, climb and descent of 10 s each; then dock and closing.
    expect(needs).toEqual({ requestId: 'check-1', durationSeconds: 339, charge: 18.4, findings: [] });
    // And the climb and the descent.
    expect(length).toBe(1880);
  });

  test('of the usual round is that of a lap of 71 seconds', () => {
    expect(check({ deviceId })).toMatchObject({ charge: 9, findings: [] });
  });

  test('finds LOW_BATTERY for a place too far away, with what is allowed and what it would take', () => {
    const { charge, findings } = check({ deviceId, desiredLocation: north(8000) });
    expect(findings).toEqual([{ code: 'LOW_BATTERY', limit: 75, actual: charge }]);
    expect(charge).toBeGreaterThan(75);
  });

  test.each([-10, 501])('finds UNREACHABLE for a place %d metres above the dock', (metres) => {
    const { findings } = check({ deviceId, desiredLocation: north(500, dock.altitude + metres) });
    expect(findings).toEqual([{ code: 'UNREACHABLE', path: 'desiredLocation' }]);
  });

  test.each<[string, number, object]>([
    ['UNREACHABLE', 100, { code: 'UNREACHABLE', path: 'missionId' }],
    ['LOW_BATTERY', 20_000, { code: 'LOW_BATTERY', limit: 75 }],
  ])('finds %s for a mission of the service that is %d metres long', (code, metres, expected) => {
    const height = dock.altitude + (code === 'UNREACHABLE' ? 501 : 50);
    const waypoints = [0, metres].map((along) => [...north(along).coordinates, height]);
    const mission = { missionId: id('mission'), missionVersion: 1, actionOnArrival: 'MISSION' };
    const { findings } = check({ ...mission, missionLine: { waypoints, heightReference: 'SEA_LEVEL' } });
    expect(findings).toMatchObject([expected]);
  });

  test('names no field when two say where to fly', () => {
    const waypoints = [0, 100].map((along) => [...north(along).coordinates, dock.altitude + 501]);
    const mission = { missionId: id('mission'), missionVersion: 1, actionOnArrival: 'MISSION' };
    const missionLine = { waypoints, heightReference: 'SEA_LEVEL' };
    const { findings } = check({ ...mission, missionLine, desiredLocation: north(50) });
    expect(findings.map(({ code, path }) => [code, path])).toEqual([['UNREACHABLE', undefined]]);
  });

  test('is that of the nearest device of the group, if the job names none', () => {
    const there = { desiredLocation: north(0) };
    const [named, far, any] = [check({ ...there, deviceId }), check({ ...there, deviceId: other }), check(there)];
    expect(any).toEqual(named);
    expect(far.charge).toBeGreaterThan(named.charge ?? Infinity);
  });

  test.each([
    ['none is registered', []],
    ['all are of other groups', devices.map((each) => ({ ...each, deviceGroupId: id('group', acme, '9') }))],
  ])('finds NO_DEVICE when %s', (_, fleet) => {
    expect(check({}, fleet)).toEqual({ requestId: 'check-1', findings: [{ code: 'NO_DEVICE' }] });
  });
});

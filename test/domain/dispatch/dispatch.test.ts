import * as z from 'zod/mini';
import {
  byDistance,
  type Candidate,
  estimateArrival,
  metresTo,
  noDevice,
  passedOver,
  whyPassedOver,
} from '../../../domain/dispatch/candidate';
import {
  checkReport,
  type CheckReport,
  judgeReport,
  lacksDevice,
  checkQuestion,
} from '../../../domain/dispatch/job-check';
import type { Device } from '../../../domain/fleet/device';
import { standingPlace } from '../../../domain/fleet/standing-device';
import { fc } from '../../property-runs';
import { id, sampleDevice, sampleJob } from '../fixtures/samples';

describe('Dispatch', () => {
  const timestamp = '2026-11-27T10:30:00.000Z';
  const navigation = {
    position: { type: 'Point' as const, coordinates: [8.5, 47.4, 440] as [number, number, number] },
  };
  const standing = { timestamp, droneState: 'DOCKED', navigation, battery: { percent: 90 } };
  const later = (seconds: number) => ({ now: new Date(Date.parse(timestamp) + seconds * 1000).toISOString() });
  const free = { isBusy: false, etaSeconds: 60, maxEtaSeconds: undefined, ...later(0) };
  const device = (change: Partial<Device> = {}) => sampleDevice({ lastState: standing, ...change });
  /** By so many seconds its parts were measured before its last report; and since when it stands. */
  const known = (measuredBefore: Record<string, number>, since?: number) =>
    device({
      lastState: { ...standing, measuredBefore },
      ...(since !== undefined && { standsSince: later(since).now }),
    });
  const reporting = (change: object) => device({ lastState: { ...standing, ...change } });

  test.each<[string, Device | undefined, object, string | undefined]>([
    ['free', device(), {}, undefined],
    ['free at the last second', device(), { maxEtaSeconds: 60 }, undefined],
    ['landed, with just enough charge', reporting({ droneState: 'LANDED', battery: { percent: 30 } }), {}, undefined],
    ['removed', undefined, {}, 'OFFLINE'],
    ['offline', device({ status: 'offline' }), {}, 'OFFLINE'],
    ['silent from the start', sampleDevice(), {}, 'OFFLINE'],
    ['at rest, and measured its state 40 seconds ago', device(), later(40), undefined],
    ['at rest, and measured it longer ago', device(), later(41), 'OFFLINE'],
    ['at a job, and measured it 30 seconds ago', reporting({ jobId: 'job-1' }), later(30), undefined],
    ['at a job, and measured it longer ago', reporting({ jobId: 'job-1' }), later(31), 'OFFLINE'],
    ['ahead with its clock', device(), later(-20), undefined],
    ['in the air', reporting({ droneState: 'HOVER' }), {}, 'FLYING'],
    ['in a state that nobody knows', reporting({ droneState: 'TAXIING' }), {}, 'FLYING'],
    ['nowhere', reporting({ navigation: undefined }), {}, 'FLYING'],
    ['named by a job', device(), { isBusy: true }, 'BUSY'],
    ['low', reporting({ battery: { percent: 29.9 } }), {}, 'LOW_CHARGE'],
    ['without a known charge', reporting({ battery: undefined }), {}, 'LOW_CHARGE'],
    ['too far', device(), { maxEtaSeconds: 59 }, 'TOO_FAR'],
    ['charged ten minutes ago', known({ battery: 600 }), {}, undefined],
    ['charged longer ago', known({ battery: 600.001 }), {}, 'LOW_CHARGE'],
    ['charged longer ago, with another value of just now', known({ 'battery.percent': 601 }), {}, 'LOW_CHARGE'],
    ['where it was since it stands', known({ 'navigation.position': 3600 }, -3600), {}, undefined],
    ['where it was before it stood', known({ 'navigation.position': 3600 }, -3599), {}, 'FLYING'],
    ['where it was before a silence', known({ 'navigation.position': 60, droneState: 1 }), {}, 'FLYING'],
    ['standing by what it said before, and silent since when', known({ droneState: 1 }), {}, 'FLYING'],
    ['standing by what it said before, since when is known', known({ droneState: 1 }, -60), {}, undefined],
  ])('a device that is %s', (_, found, change, reason) => {
    expect(whyPassedOver(found, { ...free, ...change })).toBe(reason);
    if (reason !== undefined) expect(Object.keys(passedOver)).toContain(reason);
  });

  test('a place is known of what stands only', () => {
    expect(standingPlace({ lastState: standing })).toEqual([8.5, 47.4]);
    expect(standingPlace({ lastState: { ...standing, droneState: 'ORBIT' } })).toBeUndefined();
  });

  test('distances are those of the ellipsoid', () => {
    // Karney's own example: JFK to LHR, in "Algorithms for geodesics", section 2.
    expect(metresTo([-73.8, 40.6], [-0.5, 51.6])).toBeCloseTo(5_551_759.4, 0);
    // Across 180°.
    expect(metresTo([179.99, 0], [-179.99, 0])).toBeCloseTo(2226.39, 1);
  });

  test('the time of arrival is that of the take-off and of the way', () => {
    expect([estimateArrival(0), estimateArrival(1000), estimateArrival(1000, 20)]).toEqual([30, 130, 80]);
  });

  test('devices are ranked by distance, whatever their order', () => {
    const degrees = fc.tuple(
      fc.double({ min: -180, max: 180, noNaN: true }),
      fc.double({ min: -85, max: 85, noNaN: true }),
    );
    fc.assert(
      fc.property(degrees, fc.array(degrees, { maxLength: 20 }), (to, places) => {
        const devices = places.map((place, index) => ({
          deviceId: `device-${index}`,
          deviceGroupId: 'group',
          place,
          isOnline: true,
        }));
        const ranked = byDistance(devices, to);
        const metres = ranked.map((one) => one.metres);
        expect(metres).toEqual([...metres].sort((one, other) => one - other));
        expect(byDistance([...devices].reverse(), to)).toEqual(ranked);
      }),
    );
  });

  test('a refusal has the reason of each device, and says when none stands', () => {
    const candidate = { deviceId: 'device-1', distance: 4, etaSeconds: 30, reason: 'BUSY' as const };
    expect(noDevice([candidate]).details).toEqual([{ path: 'device-1', message: 'BUSY' }]);
    expect(noDevice([]).details).toEqual([{ path: '', message: 'no device stands with a known position' }]);
  });
});

describe('Job check', () => {
  const now = '2026-11-27T10:30:00.000Z';
  const candidate = (reason?: Candidate['reason']): Candidate => ({
    deviceId: id('device'),
    distance: 412.6,
    etaSeconds: 71,
    ...(reason && { reason }),
  });

  test.each<[string, readonly Candidate[] | undefined, string | undefined, boolean]>([
    ['one is free', [candidate()], undefined, false],
    ['one of several is free', [candidate('BUSY'), candidate()], undefined, false],
    ['all are passed over', [candidate('BUSY'), candidate('OFFLINE')], undefined, true],
    ['none stands', [], undefined, true],
    ['there is no place to be near to', undefined, undefined, false],
    ['all are busy, and the job is for later', [candidate('BUSY')], '2026-11-27T10:30:00.001Z', false],
    ['none stands, and the job is for later', [], '2035-01-01T00:00:00.000Z', false],
    ['all are busy, and the job is for now', [candidate('BUSY')], now, true],
    ['all are busy, and the time of the job has just passed', [candidate('BUSY')], '2026-11-27T10:28:00.000Z', true],
  ])('whether a device is lacking when %s', (_, candidates, scheduledAt, expected) => {
    expect(lacksDevice(candidates, scheduledAt, now)).toBe(expected);
  });

  const needs = { length: 1200, durationSeconds: 210, charge: 11.5 };
  const low = { code: 'LOW_BATTERY', limit: 75, actual: 138 };
  const noDevice = { code: 'NO_DEVICE' };

  test.each<[string, CheckReport | undefined, boolean, object]>([
    ['nothing is found', { ...needs, findings: [] }, false, { feasible: true, ...needs, findings: [] }],
    ['the platform tells nothing else', { findings: [] }, false, { feasible: true, findings: [] }],
    [
      'the platform finds something',
      { ...needs, findings: [low] },
      false,
      { feasible: false, ...needs, findings: [low] },
    ],
    [
      'a code is new',
      { findings: [{ code: 'SOLAR_STORM' }] },
      false,
      { feasible: false, findings: [{ code: 'SOLAR_STORM' }] },
    ],
    ['the platform is silent', undefined, false, { feasible: false, findings: [{ code: 'UNDECIDED' }] }],
    [
      'it is silent, and no device is free',
      undefined,
      true,
      { feasible: false, findings: [noDevice, { code: 'UNDECIDED' }] },
    ],
    ['no device is free', { ...needs, findings: [] }, true, { feasible: false, ...needs, findings: [noDevice] }],
    ['both know of no device', { findings: [low, noDevice] }, true, { feasible: false, findings: [low, noDevice] }],
  ])('what is decided when %s', (_, report, isWithoutDevice, expected) => {
    expect(judgeReport(report, isWithoutDevice)).toEqual(expected);
  });

  test('the platform is asked about the flight, and told neither the name nor what only a job has', () => {
    const job = sampleJob({
      deviceId: id('device'),
      missionId: 'mission-42',
      flight: { height: 60 },
      metadata: { a: 1 },
    });
    expect(checkQuestion(job)).toEqual({
      deviceGroupId: job.deviceGroupId,
      deviceId: job.deviceId,
      missionId: 'mission-42',
      flight: { height: 60 },
      metadata: { a: 1 },
    });
  });

  test.each<[string, object]>([
    ['without findings', {}],
    ['with more than a hundred', { findings: Array.from({ length: 101 }, () => low) }],
    ['with a code in small letters', { findings: [{ code: 'low' }] }],
    ['without a code', { findings: [{ limit: 75 }] }],
    ['of half a waypoint', { findings: [{ code: 'A', waypoint: 0.5 }] }],
    ['of a waypoint before the first', { findings: [{ code: 'A', waypoint: -1 }] }],
    ['of a length below 0', { length: -1, findings: [] }],
    ['of a charge as a text', { charge: '11', findings: [] }],
  ])('a report %s is refused', (_, report) => {
    expect(z.safeParse(checkReport, report).success).toBe(false);
  });
});

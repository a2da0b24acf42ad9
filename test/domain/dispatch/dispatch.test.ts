import { byDistance, etaOf, metresTo, noDevice, passedOver, whyPassedOver } from '../../../domain/dispatch/dispatch';
import type { Device } from '../../../domain/fleet/fleet';
import { standingPlaceOf } from '../../../domain/fleet/standing-device';
import { sampleDevice } from '../fixtures/samples';
import { fc } from '../../property-runs';

const timestamp = '2026-11-27T10:30:00.000Z';
const navigation = { position: { type: 'Point' as const, coordinates: [8.5, 47.4, 440] as [number, number, number] } };
const standing = { timestamp, droneState: 'DOCKED', navigation, battery: { percent: 90 } };
const later = (seconds: number) => ({ now: new Date(Date.parse(timestamp) + seconds * 1000).toISOString() });
const free = { isBusy: false, etaSeconds: 60, maxEtaSeconds: undefined, ...later(0) };
const device = (change: Partial<Device> = {}) => sampleDevice({ lastState: standing, ...change });
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
])('a device that is %s', (_, found, change, reason) => {
  expect(whyPassedOver(found, { ...free, ...change })).toBe(reason);
  if (reason !== undefined) expect(Object.keys(passedOver)).toContain(reason);
});

test('a place is known of what stands only', () => {
  expect(standingPlaceOf(standing)).toEqual([8.5, 47.4]);
  expect(standingPlaceOf({ ...standing, droneState: 'ORBIT' })).toBeUndefined();
});

test('distances are those of the ellipsoid', () => {
  // Karney's own example: JFK to LHR, in "Algorithms for geodesics", section 2.
  expect(metresTo([-73.8, 40.6], [-0.5, 51.6])).toBeCloseTo(5_551_759.4, 0);
  // Across 180°.
  expect(metresTo([179.99, 0], [-179.99, 0])).toBeCloseTo(2226.39, 1);
});

test('the time of arrival is that of the take-off and of the way', () => {
  expect([etaOf(0), etaOf(1000), etaOf(1000, 20)]).toEqual([30, 130, 80]);
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

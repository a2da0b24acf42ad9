import { givenFreeDevices } from '../../channels/flying-device';
import { clients } from '../client';
import { fleetOf, invalidAt } from '../given';

const [partner] = clients('check-job');
const { deviceGroupId, otherGroupId } = fleetOf(partner);
const place = [8.9, 47.9] as const;

const check = (fields: object = {}) =>
  partner.call('POST /v3/jobs/check', {
    body: {
      name: 'Look at the gate',
      deviceGroupId,
      desiredLocation: { type: 'Point', coordinates: place },
      ...fields,
    },
  });

describe('POST /v3/jobs/check', () => {
  test('is undecided where no platform answers, names the candidates, and creates nothing', async () => {
    const [nearest, next] = await givenFreeDevices(deviceGroupId, 2, place);
    const { status, body } = await check();
    expect([status, body]).toMatchObject([200, { success: true, feasible: false, findings: [{ code: 'UNDECIDED' }] }]);
    expect(body.candidates.map(({ deviceId, reason }) => [deviceId, reason])).toEqual([
      [nearest, undefined],
      [next, undefined],
    ]);
    expect(body.candidates[0]?.distance).toBeCloseTo(11.1, 0);
    expect(body).not.toHaveProperty('length');
    expect((await partner.call('GET /v3/jobs')).body.jobs).toEqual([]);
  });

  test('finds that no device is free now, unless the job is for later', async () => {
    const codes = async (fields: object) => (await check(fields)).body.findings.map(({ code }) => code);
    expect(await codes({ deviceGroupId: otherGroupId })).toEqual(['NO_DEVICE', 'UNDECIDED']);
    expect(await codes({ deviceGroupId: otherGroupId, scheduledAt: '2035-01-01T00:00:00Z' })).toEqual(['UNDECIDED']);
  });

  test.each([
    ['deviceId', { deviceId: 'device-1' }],
    ['scheduledAt', { scheduledAt: '1970-01-01T00:00:00Z' }],
    ['desiredLocation.coordinates.1', { desiredLocation: { type: 'Point', coordinates: [8, 91] } }],
    ['flight.orbitRadius', { flight: { orbitRadius: 30 } }],
    ['maxEtaSeconds', { maxEtaSeconds: 60 }],
  ])('answers 400 and names %s', async (path, fields) => {
    expect(await check(fields)).toMatchObject(invalidAt(path));
  });
});

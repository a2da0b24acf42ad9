import { setTimeout as pause } from 'node:timers/promises';
import { givenFreeDevices } from '../../channels/flying-device';
import { publishPlatformEvent } from '../../channels/platform-bus';
import { until } from '../../channels/until';
import { clients } from '../client';
import { fleetOf, invalidAt, jobNow } from '../given';

describe('POST /v3/jobs/dispatch', () => {
  const [partner] = clients('dispatch-job');
  const { deviceGroupId, otherGroupId } = fleetOf(partner);
  const place = [8.9, 47.9] as const;

  const dispatch = (fields: object = {}) =>
    partner.call('POST /v3/jobs/dispatch', {
      body: { name: 'Alarm', desiredLocation: { type: 'Point', coordinates: place }, ...fields },
    });

  test('takes the nearest free device, then the next one, and then none', async () => {
    const [nearest, next] = await givenFreeDevices(deviceGroupId, 2, place);
    const first = await dispatch({ deviceGroupId });
    expect(first).toMatchObject({
      status: 201,
      body: { success: true, job: { deviceId: nearest, deviceGroupId, status: 'PENDING' }, etaSeconds: 31 },
    });
    expect(first.body.distance).toBeCloseTo(11.1, 0);
    expect(first.body.candidates.map(({ deviceId }) => deviceId)).toEqual([nearest, next]);
    expect(first.body.job.links.mqttTopic).toBe(`${first.body.job.jobId}/JOB/STATUS`);
    expect(await jobNow(partner, first.body.job.jobId)).toMatchObject({ deviceId: nearest, actionOnArrival: 'HOVER' });
    expect((await dispatch({ deviceGroupId })).body.job.deviceId).toBe(next);
    const { status, body } = await dispatch({ deviceGroupId });
    expect([status, body.error]).toEqual([409, 'no_device']);
    expect(body.details).toEqual(expect.arrayContaining([{ path: nearest, message: 'BUSY' }]));
  });

  test('does not take a device that a job names, however it was created', async () => {
    const [deviceId] = await givenFreeDevices(otherGroupId, 1, place);
    const created = await partner.call('POST /v3/jobs/create', {
      body: { name: 'Round', deviceGroupId: otherGroupId, deviceId, scheduledAt: '2035-01-01T00:00:00Z' },
    });
    expect(created.status).toBe(201);
    expect((await dispatch({ deviceGroupId: otherGroupId })).status).toBe(409);
    await partner.call('DELETE /v3/jobs/{jobId}', { path: { jobId: created.body.job.jobId } });
    expect((await dispatch({ deviceGroupId: otherGroupId })).body.job.deviceId).toBe(deviceId);
  });

  test('takes a device where its telemetry says that it stands, and not while it flies', async () => {
    const [deviceId] = await givenFreeDevices(deviceGroupId, 1, [9.9, 46.1]);
    const report = (droneState: string, longitude: number) =>
      publishPlatformEvent(
        'device.telemetry.reported',
        {
          deviceId,
          timestamp: new Date().toISOString(),
          droneState,
          navigation: { position: { type: 'Point', coordinates: [longitude, 46.1, 440] } },
          battery: { percent: 80 },
        },
        new Date(),
      );
    const there = { deviceGroupId, desiredLocation: { type: 'Point', coordinates: [11.1, 46.1] }, maxEtaSeconds: 40 };
    const untilKnown = (droneState: string) =>
      until(`the state ${droneState}`, async () => {
        const { resources } = (await partner.call('GET /v3/resources', { query: { include: 'state' } })).body;
        const known = resources.flatMap(({ devices }) => devices).find((one) => one.deviceId === deviceId);
        return known?.lastState?.droneState === droneState ? true : undefined;
      });
    await report('HOVER', 11.1);
    await untilKnown('HOVER');
    expect((await dispatch(there)).status).toBe(409);
    await report('LANDED', 11.1);
    await untilKnown('LANDED');
    // An index may lag behind its table for a moment; a client may dispatch sixty times a minute.
    const { body } = await until('its dispatch', async () => {
      await pause(500);
      const answer = await dispatch(there);
      return answer.status === 201 ? answer : undefined;
    });
    expect(body.job.deviceId).toBe(deviceId);
  });

  test.each([
    ['deviceId', { deviceId: 'device-1' }],
    ['scheduledAt', { scheduledAt: '2035-01-01T00:00:00Z' }],
    ['desiredLocation', { desiredLocation: undefined, missionId: 'mission-42' }],
    ['desiredLocation.coordinates.1', { desiredLocation: { type: 'Point', coordinates: [8, 91] } }],
    ['flight.orbitRadius', { flight: { orbitRadius: 30 } }],
    ['maxEtaSeconds', { maxEtaSeconds: 'soon' }],
  ])('answers 400 and names %s', async (path, fields) => {
    expect(await dispatch(fields)).toMatchObject(invalidAt(path));
  });
});

describe('POST /v3/jobs/check', () => {
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

import { setTimeout as pause } from 'node:timers/promises';
import { clients } from '../api/client';
import { fleetOf, givenJob, givenShare } from '../api/given';
import type { JobStatus } from '../../domain/job-lifecycle';
import { publishPlatformEvent } from './platform-events';
import { followFromSnapshot } from './socket';
import { until } from './until';

const [partner] = clients('platform-reports');
const get = async (jobId: string) => (await partner.call('GET /v3/jobs/{jobId}', { path: { jobId } })).body.job;
const report = (jobId: string, status: JobStatus) =>
  publishPlatformEvent('job.status.reported', { jobId, status, at: new Date().toISOString() }, new Date());
/** A report that is retried twice needs more than a minute. */
const becomes = (jobId: string, status: JobStatus) =>
  until(
    `${jobId} ${status}`,
    async () => {
      await pause(500);
      return (await get(jobId)).status === status ? true : undefined;
    },
    undefined,
    100_000,
  );

test('reports of the platform move a job, and nothing tells a client who changed it', async () => {
  const { jobId, ...created } = await givenJob(partner);
  for (const status of ['QUEUED', 'IN_PROGRESS', 'COMPLETED'] as const) {
    await report(jobId, status);
    await becomes(jobId, status);
  }
  const job = await get(jobId);
  expect(job.version).toBe(4);
  expect(Object.keys(job)).toEqual(expect.arrayContaining(Object.keys(created)));
  expect(JSON.stringify(job)).not.toMatch(/changedBy|drone-platform/);
});

test('a job has how its device flies it, as the platform reported', async () => {
  const flight = { speed: 9 };
  const { jobId } = await givenJob(partner, { desiredLocation: { type: 'Point', coordinates: [8.5, 47.4] }, flight });
  const plannedFlight = { height: 60, speed: 9, holdSeconds: 60 };
  const detail = {
    jobId,
    status: 'QUEUED',
    at: new Date().toISOString(),
    plannedFlight: { ...plannedFlight, wind: 3 },
  };
  await publishPlatformEvent('job.status.reported', detail, new Date());
  await becomes(jobId, 'QUEUED');
  expect(await get(jobId)).toMatchObject({ flight, plannedFlight, actionOnArrival: 'HOVER' });
});

test('a job in flight has the newest progress, and keeps the one of its status when it is over', async () => {
  const { deviceId } = fleetOf(partner);
  const { jobId } = await givenJob(partner, { deviceId });
  const { shareCode } = await givenShare(partner);
  const channel = await followFromSnapshot(partner, { kind: 'job', id: jobId });
  const [reported, measured] = [
    { percent: 0, distanceLeft: 780 },
    { percent: 42, distanceLeft: 640, secondsLeft: 75 },
  ];
  await report(jobId, 'QUEUED');
  await becomes(jobId, 'QUEUED');
  const at = new Date(Date.now() - 5000).toISOString();
  const started = { jobId, status: 'IN_PROGRESS', at, progress: { ...reported, eta: 'soon' } };
  await publishPlatformEvent('job.status.reported', started, new Date());
  await becomes(jobId, 'IN_PROGRESS');
  expect(await channel.like({ jobState: 'IN_PROGRESS' })).toMatchObject({ progress: reported });
  expect(await get(jobId)).toMatchObject({ progress: reported });

  const sampled = () => ({ deviceId, jobId, timestamp: new Date().toISOString(), progress: measured });
  const position = await until('the progress on the channel', async () => {
    await publishPlatformEvent('device.telemetry.reported', sampled(), new Date());
    await pause(1000);
    return channel.messages.find(({ progress }) => JSON.stringify(progress) === JSON.stringify(measured));
  });
  expect(position).toMatchObject({ type: 'job.status', deviceId });
  expect(await get(jobId)).toMatchObject({ progress: measured, version: 3 });
  const { body } = await partner.call('GET /v3/shares/{shareCode}/resources', { path: { shareCode } });
  expect(body.resources).toMatchObject([{ lastState: { progress: measured } }]);

  await report(jobId, 'COMPLETED');
  await becomes(jobId, 'COMPLETED');
  expect(await get(jobId)).toMatchObject({ progress: reported });
});

test('a report that overtakes its predecessor is applied after it', async () => {
  const { jobId } = await givenJob(partner);
  await report(jobId, 'IN_PROGRESS');
  await report(jobId, 'QUEUED');
  await becomes(jobId, 'IN_PROGRESS');
  expect(await get(jobId)).toMatchObject({ version: 3 });
}, 120_000);

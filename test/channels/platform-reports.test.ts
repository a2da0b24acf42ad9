import { setTimeout as pause } from 'node:timers/promises';
import { clients } from '../api/client';
import { givenJob } from '../api/given';
import type { JobStatus } from '../../domain/job-lifecycle';
import { publishPlatformEvent } from './platform-events';
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

test('a report that overtakes its predecessor is applied after it', async () => {
  const { jobId } = await givenJob(partner);
  await report(jobId, 'IN_PROGRESS');
  await report(jobId, 'QUEUED');
  await becomes(jobId, 'IN_PROGRESS');
  expect(await get(jobId)).toMatchObject({ version: 3 });
}, 120_000);

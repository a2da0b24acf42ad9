import { setTimeout as pause } from 'node:timers/promises';
import { clients } from '../api/client';
import { fleetOf, givenJob, givenShare, invalidAt, jobNow } from '../api/given';
import { publishPlatformEvent } from './platform-bus';
import { moveByReports, reportStatus, untilJobIs } from './reported-status';
import { followFromSnapshot } from './socket';
import { until } from './until';

const [partner] = clients('platform-reports');
const get = (jobId: string) => jobNow(partner, jobId);

test('reports of the platform move a job, and nothing tells a client who changed it', async () => {
  const { jobId, ...created } = await givenJob(partner);
  await moveByReports(partner, jobId, 'QUEUED', 'IN_PROGRESS', 'COMPLETED');
  const job = await get(jobId);
  expect(job.version).toBe(4);
  expect(Object.keys(job)).toEqual(expect.arrayContaining(Object.keys(created)));
  expect(JSON.stringify(job)).not.toMatch(/changedBy|drone-platform/);
});

test('a job has how its device flies it, as the platform reported', async () => {
  const flight = { speed: 9 };
  const { jobId } = await givenJob(partner, { desiredLocation: { type: 'Point', coordinates: [8.5, 47.4] }, flight });
  const plannedFlight = { height: 60, speed: 9, holdSeconds: 60 };
  await reportStatus(jobId, 'QUEUED', { plannedFlight: { ...plannedFlight, wind: 3 } });
  await untilJobIs(partner, jobId, 'QUEUED');
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
  await moveByReports(partner, jobId, 'QUEUED');
  const at = new Date(Date.now() - 5000).toISOString();
  await reportStatus(jobId, 'IN_PROGRESS', { at, progress: { ...reported, eta: 'soon' } });
  await untilJobIs(partner, jobId, 'IN_PROGRESS');
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

  await moveByReports(partner, jobId, 'COMPLETED');
  expect(await get(jobId)).toMatchObject({ progress: reported });
});

test('a report that overtakes its predecessor is applied after it', async () => {
  const { jobId } = await givenJob(partner);
  await reportStatus(jobId, 'IN_PROGRESS');
  await reportStatus(jobId, 'QUEUED');
  await untilJobIs(partner, jobId, 'IN_PROGRESS');
  expect(await get(jobId)).toMatchObject({ version: 3 });
}, 120_000);

const patch = (jobId: string, body: object) => partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body });
const isReported = invalidAt('status', expect.stringMatching(/^is reported by the drone platform.*RETURN_HOME/));

test('a flight is not made COMPLETED by its partner while the drone is in the air, and fails as the platform says', async () => {
  const { jobId } = await givenJob(partner);
  const channel = await followFromSnapshot(partner, { kind: 'job', id: jobId });
  await moveByReports(partner, jobId, 'QUEUED', 'IN_PROGRESS');
  const before = await get(jobId);
  expect(await patch(jobId, { status: 'COMPLETED', priority: 9 })).toMatchObject(isReported);
  expect(await get(jobId)).toEqual(before);

  const ended = { reason: 'ABORTED_BY_COMMAND', commandId: 'command-7' };
  await reportStatus(jobId, 'FAILED', { ...ended, reasonText: 'Sent home' });
  expect(await channel.like({ jobState: 'FAILED' })).toMatchObject({ ...ended, previousState: 'IN_PROGRESS' });
  expect(await get(jobId)).toMatchObject({ status: 'FAILED', ...ended, version: before.version + 1 });
  const { body } = await partner.call('GET /v3/jobs/{jobId}/events', { path: { jobId } });
  expect(body.events.at(-1)).toMatchObject({ jobState: 'FAILED', ...ended });
});

test('of a job that its partner has begun, the first report counts, and from then on the platform says its status', async () => {
  const { deviceId } = fleetOf(partner);
  const { jobId } = await givenJob(partner);
  for (const status of ['QUEUED', 'IN_PROGRESS']) expect((await patch(jobId, { status })).status).toBe(200);
  await reportStatus(jobId, 'IN_PROGRESS', { deviceId });
  await until('the report', async () => ((await get(jobId)).deviceId === deviceId ? true : undefined));
  expect(await patch(jobId, { status: 'COMPLETED' })).toMatchObject(isReported);
  await moveByReports(partner, jobId, 'COMPLETED');
});

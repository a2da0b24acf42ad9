import { createResource } from '../create-resource';
import { callAndExpectReply, call, expectRefusal, expectThat, expectReply } from '../api-calls';
import type { Step, SmokeContext } from '../smoke-context';
import { setTimeout as pause } from 'node:timers/promises';
import { pathTo, type JobStatus } from '../../../domain/jobs/job-lifecycle';
import { inOneLine } from '../errors';

/** Interval of polling a job, in ms. */
const POLL_EVERY_MS = 250;

/** The lifecycle as a fleet would report it. */
const STATUSES = pathTo('COMPLETED');

/** Runs a job at once: a running fleet queues it, otherwise this step patches its status. */
async function runLifecycle(context: SmokeContext): Promise<string> {
  const { deviceGroupId, deviceId } = context.get('fleet');
  const body = { name: 'Smoke test', deviceGroupId, deviceId, metadata: { smokeTest: true } };
  const { job } = expectReply('POST /v3/jobs/create', await createResource(context, 'POST /v3/jobs/create', body));
  const startedAt = Date.now();
  while (Date.now() - startedAt < context.timeouts.fleetMs) {
    const status = await statusOf(context, job.jobId);
    if (status !== 'PENDING') {
      expectThat(status !== 'CANCELLED' && status !== 'FAILED', 'a job that the fleet takes', () => status);
      return `the fleet made it ${status}`;
    }
    await pause(POLL_EVERY_MS, undefined, { signal: context.signal });
  }
  return patchStatuses(context, job.jobId);
}

const statusOf = async (context: SmokeContext, jobId: string): Promise<JobStatus> =>
  (await callAndExpectReply(context, 'GET /v3/jobs/{jobId}', { path: { jobId } })).job.status;

async function patchStatuses(context: SmokeContext, jobId: string): Promise<string> {
  for (const status of STATUSES) {
    const answer = await call(context, 'PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status } });
    // A fleet that started late has taken it in the meantime.
    if (answer.status === 400 && (await statusOf(context, jobId)) !== 'PENDING') return 'the fleet came late';
    const { job } = expectReply('PATCH /v3/jobs/{jobId}', answer);
    expectThat(job.status === status, `a job that is ${status}`, () => inOneLine(answer));
  }
  const cancelled = await call(context, 'POST /v3/jobs/{jobId}/cancel', { path: { jobId } });
  expectRefusal(cancelled, 400, 'Cannot cancel job');
  return 'no fleet took it: patched by this run';
}

export const lifecycleSteps: readonly Step[] = [{ name: 'lifecycle of a job', run: runLifecycle }];

/** Far enough ahead that no fleet takes the job during the run, in ms. */
const LATER_MS = 60 * 60 * 1000;

const PRIORITY = 7;

async function createJob(context: SmokeContext): Promise<undefined> {
  const { deviceGroupId } = context.get('fleet');
  const scheduledAt = new Date(Date.now() + LATER_MS).toISOString();
  const body = { name: 'Smoke test, for later', deviceGroupId, scheduledAt, metadata: { smokeTest: true } };
  const { job } = expectReply('POST /v3/jobs/create', await createResource(context, 'POST /v3/jobs/create', body));
  context.set('job', job);
  expectThat(job.status === 'PENDING', 'a job that is PENDING', () => job.status);
}

async function readJob(context: SmokeContext): Promise<undefined> {
  const { jobId } = context.get('job');
  const { job } = await callAndExpectReply(context, 'GET /v3/jobs/{jobId}', { path: { jobId } });
  const { deviceGroupId } = context.get('fleet');
  const holds = job.jobId === jobId && job.deviceGroupId === deviceGroupId && job.metadata?.['smokeTest'] === true;
  expectThat(holds, 'the job as it was created', () => JSON.stringify(job));
}

async function listJobs(context: SmokeContext): Promise<undefined> {
  const { jobId } = context.get('job');
  const { jobs } = await callAndExpectReply(context, 'GET /v3/jobs');
  expectThat(
    jobs.some((job) => job.jobId === jobId),
    'the new job among the latest',
    () => `${jobs.length} others`,
  );
}

async function patchJob(context: SmokeContext): Promise<undefined> {
  const path = { jobId: context.get('job').jobId };
  const { job } = await callAndExpectReply(context, 'PATCH /v3/jobs/{jobId}', { path, body: { priority: PRIORITY } });
  expectThat(job.priority === PRIORITY, `priority ${PRIORITY}`, () => `${job.priority}`);
}

async function cancelJob(context: SmokeContext): Promise<undefined> {
  const { jobId } = context.get('job');
  await callAndExpectReply(context, 'POST /v3/jobs/{jobId}/cancel', { path: { jobId } });
  const { job } = await callAndExpectReply(context, 'GET /v3/jobs/{jobId}', { path: { jobId } });
  expectThat(job.status === 'CANCELLED', 'a job that is CANCELLED', () => job.status);
}

async function deleteJob(context: SmokeContext): Promise<undefined> {
  const path = { jobId: context.get('job').jobId };
  await callAndExpectReply(context, 'DELETE /v3/jobs/{jobId}', { path });
  context.cleanUp.remove(`/v3/jobs/${path.jobId}`);
  expectRefusal(await call(context, 'GET /v3/jobs/{jobId}', { path }), 404, 'Job not found');
}

export const jobSteps: readonly Step[] = [
  { name: 'create a job', run: createJob },
  { name: 'read the job', run: readJob },
  { name: 'list jobs', run: listJobs },
  { name: 'patch the job', run: patchJob },
];

export const jobEndSteps: { readonly cancel: Step; readonly remove: Step } = {
  cancel: { name: 'cancel the job', run: cancelJob },
  remove: { name: 'delete the job', run: deleteJob },
};

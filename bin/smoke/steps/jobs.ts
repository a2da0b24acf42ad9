import { createResource } from '../create-resource';
import { callAndExpectReply, call, expectRefusal, expectThat, expectReply } from '../api-calls';
import type { Step } from '../step';
import type { SmokeContext } from '../smoke-context';

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

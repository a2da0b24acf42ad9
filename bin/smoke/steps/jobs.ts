import { create } from '../creation';
import { ask, call, expectRefusal, expectThat, replied } from '../endpoint';
import type { Step } from '../step';
import type { Story } from '../story';

/** Far enough ahead that no fleet takes the job meanwhile, in ms. */
const LATER_MS = 60 * 60 * 1000;

const PRIORITY = 7;

async function createJob(story: Story): Promise<undefined> {
  const { deviceGroupId } = story.take('fleet');
  const scheduledAt = new Date(Date.now() + LATER_MS).toISOString();
  const body = { name: 'Smoke test, for later', deviceGroupId, scheduledAt, metadata: { smokeTest: true } };
  const { job } = replied('POST /v3/jobs/create', await create(story, 'POST /v3/jobs/create', body));
  story.give('job', job);
  expectThat(job.status === 'PENDING', 'a job that is PENDING', () => job.status);
}

async function readJob(story: Story): Promise<undefined> {
  const { jobId } = story.take('job');
  const { job } = await ask(story, 'GET /v3/jobs/{jobId}', { path: { jobId } });
  const { deviceGroupId } = story.take('fleet');
  const so = job.jobId === jobId && job.deviceGroupId === deviceGroupId && job.metadata?.['smokeTest'] === true;
  expectThat(so, 'the job as it was created', () => JSON.stringify(job));
}

async function listJobs(story: Story): Promise<undefined> {
  const { jobId } = story.take('job');
  const { jobs } = await ask(story, 'GET /v3/jobs');
  expectThat(
    jobs.some((job) => job.jobId === jobId),
    'the new job among the latest',
    () => `${jobs.length} others`,
  );
}

async function patchJob(story: Story): Promise<undefined> {
  const path = { jobId: story.take('job').jobId };
  const { job } = await ask(story, 'PATCH /v3/jobs/{jobId}', { path, body: { priority: PRIORITY } });
  expectThat(job.priority === PRIORITY, `priority ${PRIORITY}`, () => `${job.priority}`);
}

async function cancelJob(story: Story): Promise<undefined> {
  const { jobId } = story.take('job');
  await ask(story, 'POST /v3/jobs/{jobId}/cancel', { path: { jobId } });
  const { job } = await ask(story, 'GET /v3/jobs/{jobId}', { path: { jobId } });
  expectThat(job.status === 'CANCELLED', 'a job that is CANCELLED', () => job.status);
}

async function deleteJob(story: Story): Promise<undefined> {
  const path = { jobId: story.take('job').jobId };
  await ask(story, 'DELETE /v3/jobs/{jobId}', { path });
  story.cleanUp.forget(`/v3/jobs/${path.jobId}`);
  expectRefusal(await call(story, 'GET /v3/jobs/{jobId}', { path }), 404, 'Job not found');
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

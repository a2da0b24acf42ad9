import { setTimeout as pause } from 'node:timers/promises';
import type { JobStatus } from '../../../domain/job-lifecycle';
import { create } from '../creation';
import { ask, call, expectRefusal, expectThat, replied } from '../endpoint';
import type { Step } from '../step';
import type { Story } from '../story';
import { inOneLine } from '../unexpected';

/** Between two looks at a job, in ms. */
const LOOK_EVERY_MS = 250;

/** The way of a job through the lifecycle, as a fleet would report it. */
const WAY = ['QUEUED', 'IN_PROGRESS', 'COMPLETED'] as const satisfies readonly JobStatus[];

/** A job to be done at once: a fleet that is there queues it, otherwise it is moved from here. */
async function live(story: Story): Promise<string> {
  const { deviceGroupId, deviceId } = story.take('fleet');
  const body = { name: 'Smoke test', deviceGroupId, deviceId, metadata: { smokeTest: true } };
  const { job } = replied('POST /v3/jobs/create', await create(story, 'POST /v3/jobs/create', body));
  const began = Date.now();
  while (Date.now() - began < story.patience.fleetMs) {
    const status = await statusOf(story, job.jobId);
    if (status !== 'PENDING') {
      expectThat(status !== 'CANCELLED' && status !== 'FAILED', 'a job that the fleet takes', () => status);
      return `the fleet made it ${status}`;
    }
    await pause(LOOK_EVERY_MS, undefined, { signal: story.signal });
  }
  return move(story, job.jobId);
}

const statusOf = async (story: Story, jobId: string): Promise<JobStatus> =>
  (await ask(story, 'GET /v3/jobs/{jobId}', { path: { jobId } })).job.status;

async function move(story: Story, jobId: string): Promise<string> {
  for (const status of WAY) {
    const answer = await call(story, 'PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status } });
    // A fleet that comes late has taken it meanwhile.
    if (answer.status === 400 && (await statusOf(story, jobId)) !== 'PENDING') return 'the fleet came late';
    const { job } = replied('PATCH /v3/jobs/{jobId}', answer);
    expectThat(job.status === status, `a job that is ${status}`, () => inOneLine(answer));
  }
  const cancelled = await call(story, 'POST /v3/jobs/{jobId}/cancel', { path: { jobId } });
  expectRefusal(cancelled, 400, 'Cannot cancel job');
  return 'no fleet took it: moved from here';
}

export const lifecycleSteps: readonly Step[] = [{ name: 'lifecycle of a job', run: live }];

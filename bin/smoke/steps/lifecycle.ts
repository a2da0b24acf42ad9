import { setTimeout as pause } from 'node:timers/promises';
import { pathTo, type JobStatus } from '../../../domain/jobs/job-lifecycle';
import { createResource } from '../create-resource';
import { callAndExpectReply, call, expectRefusal, expectThat, expectReply } from '../api-calls';
import type { Step } from '../step';
import type { SmokeContext } from '../smoke-context';
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

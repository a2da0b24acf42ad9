import { pathTo } from '../../../domain/jobs/job-lifecycle';
import { follow, waitUntil } from '../support/channel-listeners';
import { billOf, type Bill } from './bill';
import type { Setup } from './setup';
import { beyondIdle, between, readSettled, scaled, sum } from './usage';

const JOBS = 12;
const MILLION = 1e6;
const FOLLOWED_MINUTES = 10;
/** The service posts to a quiet socket every four minutes. */
const HEARTBEATS = 2;
const reports = pathTo('COMPLETED');

/** A job that is created, followed over WSS, and reported three times. */
async function runJob({ stack, client, platform }: Setup): Promise<void> {
  const { jobId } = await client.api.jobs.create({ name: 'Survey', deviceGroupId: client.deviceGroupId });
  const socket = await follow(stack.facts, client, { kind: 'job', id: jobId });
  for (const status of reports) {
    await platform({ type: 'job.status.reported', detail: { jobId, status, at: new Date().toISOString() } });
    await waitUntil(() => socket.received.some(({ jobState }) => jobState === status));
  }
  socket.close();
}

/** A million jobs in a month, one after the other. */
export async function jobs(setup: Setup): Promise<Bill> {
  const { access } = setup.stack;
  await runJob(setup);
  const before = await readSettled(access);
  for (let count = 0; count < JOBS; count++) await runJob(setup);
  const used = between(before, await readSettled(access));
  const measured = beyondIdle(used, setup.idle);
  const minutes = measured['clients']?.['websocket:minutes'] ?? 0;
  const followed = {
    clients: { 'websocket:minutes': JOBS * FOLLOWED_MINUTES - minutes, 'websocket:messages': JOBS * HEARTBEATS },
  };
  return billOf(
    'a million jobs: created, three reports, one follower of 10 minutes',
    `${JOBS} jobs × ${(MILLION / JOBS).toFixed(0)}, evenly over a month, with ${FOLLOWED_MINUTES} minutes and ${HEARTBEATS} heartbeats of each follower`,
    scaled(sum(measured, followed), MILLION / JOBS),
  );
}

import type { FaultsFile } from 'cloud-assembly-runner';
import { clients } from '../api/client';
import { cutOffDrill } from '../channels/cut-off-drill';
import { injectFaults } from './inject-faults';
import { topicName } from '../../contract/terms/channel-addresses';
import { fleetOf, givenJob } from '../api/given';
import { subscribe, topicUntil } from '../channels/mqtt-client';
import { quiet, until } from '../channels/until';

/** For 2,000 connections one after the other: each wait of the drill has a limit of its own. */
const SLOW_MACHINE_MS = 900_000;

const wholeFigure = { clients: 50, cuts: 20, changes: 500 };
const fewer = { clients: 20, cuts: 6, changes: 200 };

test.each<[string, FaultsFile, typeof wholeFigure]>([
  ['nothing fails', {}, wholeFigure],
  ['stream batches arrive twice', { streams: { repeated: true } }, fewer],
  // A replay then takes so long that many changes come meanwhile.
  ['sockets are slow', { connections: { slowMs: 50 } }, fewer],
])(
  'while %s, clients that are cut off have every change exactly once and in order',
  async (_, faults, numbers) => {
    injectFaults(faults);
    await cutOffDrill(clients('cut-off'), { ...numbers, seed: 2 });
  },
  SLOW_MACHINE_MS,
);

const [partner] = clients('topic-audience-faults');

async function subscribeToNewJob() {
  const { jobId } = await givenJob(partner);
  const { deviceGroupId } = fleetOf(partner);
  const topics = [topicName({ kind: 'job', id: jobId }), topicName({ kind: 'group', id: deviceGroupId })];
  const listener = await subscribe(partner, ...topics);
  const noted = async () => {
    const found = await Promise.all([topicUntil('job', jobId), topicUntil('group', deviceGroupId)]);
    return found.every((each) => each !== undefined) ? found : undefined;
  };
  return { jobId, listener, noted };
}

const cancel = (jobId: string) => partner.call('POST /v3/jobs/{jobId}/cancel', { path: { jobId } });

test('subscriptions whose events are lost have no audience until the session is refreshed, which delivers what changed meanwhile', async () => {
  injectFaults({ iot: { lifecycleEventsLost: 1 } });
  const { jobId, listener, noted } = await subscribeToNewJob();
  expect((await cancel(jobId)).status).toBe(200);
  await quiet();
  expect(await noted()).toBeUndefined();
  expect(listener.messages.filter((message) => message['jobId'] === jobId)).toEqual([]);

  // Long enough for the job to be cancelled before.
  injectFaults({ iot: { lifecycleEventsLost: 1, refreshMs: 8000 } });
  const refreshed = await subscribeToNewJob();
  expect((await cancel(refreshed.jobId)).status).toBe(200);
  const found = await until('an audience', refreshed.noted);
  for (const time of found) expect(time).toBeGreaterThan(Date.now() / 1000);
  // What changed meanwhile.
  const { jobId: followed } = refreshed;
  expect(await refreshed.listener.like({ jobId: followed, jobState: 'CANCELLED' })).toMatchObject({ snapshot: true });
  expect(refreshed.listener.client.connected).toBe(true);
});

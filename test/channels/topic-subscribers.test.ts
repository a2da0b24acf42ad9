import { type ChannelKind } from '../../contract/channels/status-channels';
import { topicName } from '../../contract/terms/topics-and-paths';
import { clients } from '../api/client';
import { fleetOf, givenJob, givenShare } from '../api/given';
import { subscribe, topicUntil } from './mqtt-client';
import { quiet, until } from './until';

const [partner] = clients('topic-audience');

/** Every session has ended an hour after it began; the end for a job or a share is a multiple of half an hour. */
const inAnHour = (kind: ChannelKind) => Date.now() / 1000 + 3600 + (kind === 'group' ? 0 : 1800);

test('a subscription to a job, a share and a group notes their audience until every session has ended', async () => {
  const channels = [
    { kind: 'job', id: (await givenJob(partner)).jobId },
    { kind: 'share', id: (await givenShare(partner)).shareCode },
    { kind: 'group', id: fleetOf(partner).deviceGroupId },
  ] as const;
  const [job, share] = channels;
  for (const { kind, id } of [job, share]) expect(await topicUntil(kind, id)).toBeUndefined();
  const began = Math.floor(Date.now() / 1000);
  await subscribe(partner, ...channels.map(topicName));
  for (const { kind, id } of channels) {
    const noted = await until(`an audience of the ${kind}`, () => topicUntil(kind, id));
    expect(noted).toBeGreaterThanOrEqual(began + 3600);
    expect(noted).toBeLessThanOrEqual(inAnHour(kind) + 1);
  }
});

test('a subscription that is refused notes no audience', async () => {
  const [stranger] = clients('stranger');
  const { jobId } = await givenJob(stranger);
  const { jobId: own } = await givenJob(partner);
  const listener = await subscribe(partner, topicName({ kind: 'job', id: own }));
  expect(await listener.subscribe(topicName({ kind: 'job', id: jobId }))).toEqual([false]);
  await until('an audience of the own job', () => topicUntil('job', own));
  await quiet();
  expect(await topicUntil('job', jobId)).toBeUndefined();
});

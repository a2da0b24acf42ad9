import { topicOf } from '../../contract/channels';
import { clients } from '../api/client';
import { fleetOf, givenJob } from '../api/given';
import { subscribe } from './mqtt-client';
import { topicUntil } from './topic-until';
import { quiet, until } from './until';

const [partner] = clients('topic-audience');

const inAnHour = () => Date.now() / 1000 + 3600;

test('a subscription to a job and to a group notes their audience for an hour', async () => {
  const { jobId } = await givenJob(partner);
  const { deviceGroupId } = fleetOf(partner);
  const began = Math.floor(Date.now() / 1000);
  const topics = [topicOf({ kind: 'job', id: jobId }), topicOf({ kind: 'group', id: deviceGroupId })];
  expect(await topicUntil('job', jobId)).toBeUndefined();
  await subscribe(partner, ...topics);
  for (const [kind, id] of [
    ['job', jobId],
    ['group', deviceGroupId],
  ] as const) {
    const noted = await until(`an audience of the ${kind}`, () => topicUntil(kind, id));
    expect(noted).toBeGreaterThanOrEqual(began + 3600);
    expect(noted).toBeLessThanOrEqual(inAnHour() + 1);
  }
});

test('a subscription that is refused notes no audience', async () => {
  const [stranger] = clients('stranger');
  const { jobId } = await givenJob(stranger);
  const { jobId: own } = await givenJob(partner);
  const listener = await subscribe(partner, topicOf({ kind: 'job', id: own }));
  expect(await listener.subscribe(topicOf({ kind: 'job', id: jobId }))).toEqual([false]);
  await until('an audience of the own job', () => topicUntil('job', own));
  await quiet();
  expect(await topicUntil('job', jobId)).toBeUndefined();
});

import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import fc from 'fast-check';
import { GetCommand, QueryCommand } from '../../../../data/store/document-client';
import { followersOf } from '../../../../data/connections/followers';
import { toItem } from '../../../../data/jobs/job-item';
import { jobMessage } from '../../../../domain/status-event';
import { greetChannel } from '../../../../lambdas/channel/greeting/channel';
import { publishToSockets } from '../../../../lambdas/delivery/publish-to-sockets';
import { connection, sockets } from '../../../data/fixtures/sockets';
import { store } from '../../../data/fixtures/store';
import { acme, id, sampleJob } from '../../../domain/fixtures/samples';
import { givenWaiting } from '../../fixtures/waiting';

const follower = connection();
const channel = { kind: 'job', id: id('job') } as const;
const version = (number: number) => sampleJob({ version: number });

/**
 * Lets a connection be greeted while its job changes, the stream telling of each change in order and late, with every
 * call to store and sockets taking its turn as `scheduler` has it.
 * @returns sequences that the socket was told, the state first
 */
async function greetWhileItChanges(scheduler: fc.Scheduler, changes: number): Promise<number[]> {
  store.reset();
  sockets.reset();
  const heard: number[] = [];
  const turn = <Value>(label: string, act: () => Value) => scheduler.schedule(Promise.resolve(), label).then(act);
  const waiting = givenWaiting(follower, (label, act) => turn(label, act));
  let now = 1;
  store
    .on(GetCommand, { TableName: 'jobs' })
    .callsFake(() => turn('state', () => ({ Item: toItem(acme, version(now)) })));
  store.on(QueryCommand).callsFake(() => turn('followers', () => ({ Items: [waiting.item()] })));
  sockets.on(PostToConnectionCommand).callsFake(({ Data }: { Data: string }) =>
    turn(`post ${Data}`, () => {
      heard.push((JSON.parse(Data) as { sequence: number }).sequence);
      return {};
    }),
  );
  const change = async () => {
    while (now <= changes) {
      await turn('change', () => (now += 1));
    }
  };
  const tell = async () => {
    for (let told = 2; told <= changes + 1; told++) {
      await scheduler.schedule(Promise.resolve(), 'stream');
      while (now < told) await scheduler.schedule(Promise.resolve(), 'stream waits');
      const event = { channel, weight: 'state', message: jobMessage(version(told)) } as const;
      await publishToSockets(event, followersOf(channel));
    }
  };
  const all = Promise.all([greetChannel(follower), change(), tell()]);
  await scheduler.waitFor(all);
  return heard;
}

test('Whatever comes first, a connection hears every change after the state, in order, once, and none before it.', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 0, max: 4 }), async (scheduler, changes) => {
      const [state = 0, ...after] = await greetWhileItChanges(scheduler, changes);
      expect(after).toEqual(Array.from({ length: changes + 1 - state }, (_, index) => state + 1 + index));
    }),
    { numRuns: 300 },
  );
});

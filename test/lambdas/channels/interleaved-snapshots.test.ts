import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { followersOf } from '../../../data/channels/followers';
import { toItem } from '../../../data/jobs/job-item';
import { jobMessage } from '../../../domain/channels/status-event';
import { sendChannelSnapshot } from '../../../lambdas/channels/snapshot-of-status';
import { publishToSockets } from '../../../lambdas/sockets/followers';
import { connection, sockets } from '../../data/fixtures/sockets';
import { store } from '../../data/fixtures/store';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { givenBufferingFollower, type Turn } from '../fixtures/buffering-follower';
import { fc, propertyRuns } from '../../property-runs';

const follower = connection();
const channel = { kind: 'job', id: id('job') } as const;
const version = (number: number) => sampleJob({ version: number });

/**
 * Sends a connection its snapshot while its job changes and the stream publishes each change in order and late. Every
 * call to the table and the sockets runs in an order that `scheduler` chooses.
 * @returns sequences that the socket was sent, the snapshot first
 */
async function sendSnapshotDuringChanges(scheduler: fc.Scheduler, changes: number): Promise<number[]> {
  store.reset();
  sockets.reset();
  const received: number[] = [];
  // A call runs when the scheduler reaches it, and nothing else runs meanwhile.
  const turn: Turn = async (label, act) => {
    let outcome: Promise<unknown> = Promise.resolve();
    await scheduler.scheduleSequence([{ label, builder: () => (outcome = act()).catch(() => undefined) }]).task;
    return outcome as ReturnType<typeof act>;
  };
  const waiting = await givenBufferingFollower(follower, turn);
  let now = 1;
  store
    .on(GetCommand, { TableName: 'jobs' })
    .callsFake(() => turn('state', () => Promise.resolve({ Item: toItem(acme, version(now)) })));
  store.on(QueryCommand).callsFake(() => turn('followers', async () => ({ Items: [await waiting.item()] })));
  store.on(QueryCommand, { TableName: 'events' }).resolves({});
  sockets.on(PostToConnectionCommand).callsFake(({ Data }: { Data: string }) =>
    turn(`post ${Data}`, () => {
      received.push((JSON.parse(Data) as { sequence: number }).sequence);
      return Promise.resolve({});
    }),
  );
  const change = async () => {
    while (now <= changes) {
      await turn('change', () => Promise.resolve((now += 1)));
    }
  };
  const publishChanges = async () => {
    for (let sequence = 2; sequence <= changes + 1; sequence++) {
      await scheduler.schedule(Promise.resolve(), 'stream');
      while (now < sequence) await scheduler.schedule(Promise.resolve(), 'stream waits');
      const event = { role: 'state', message: jobMessage(version(sequence)) } as const;
      await publishToSockets(event, followersOf(channel));
    }
  };
  const all = Promise.all([sendChannelSnapshot(follower), change(), publishChanges()]);
  await scheduler.waitFor(all);
  return received;
}

test('a connection is sent every change after the snapshot, in order and once, and no earlier one, in any interleaving', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 0, max: 4 }), async (scheduler, changes) => {
      const [state = 0, ...after] = await sendSnapshotDuringChanges(scheduler, changes);
      expect(after).toEqual(Array.from({ length: changes + 1 - state }, (_, index) => state + 1 + index));
    }),
    // Of fast-check's default number: each runs some forty calls of a real engine.
    { numRuns: propertyRuns(100) },
  );
});

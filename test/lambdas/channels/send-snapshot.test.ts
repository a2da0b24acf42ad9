import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { SnapshotRequest } from '../../../data/channels/snapshot-requests';
import type { StatusMessage } from '../../../domain/channels/status-message';
import { jobToItem } from '../../../data/jobs/jobs';
import { handler } from '../../../lambdas/channels/send-snapshot.lambda';
import { connection, gone, sockets } from '../../data/fixtures/sockets';
import { store } from '../../data/fixtures/store';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';
import { reported } from '../fixtures/snapshot';
import {
  closed,
  deviceItem,
  givenSession,
  partnerSession,
  sentTo,
  shareItem,
  viewerSession,
} from '../fixtures/telemetry';
import { findFollowers } from '../../../data/channels/followers';
import { jobMessage } from '../../../domain/channels/status-event';
import { sendChannelSnapshot } from '../../../lambdas/channels/snapshot-of-status';
import { publishToSockets } from '../../../lambdas/sockets/send-to-followers';
import { givenBufferingFollower, type Turn } from '../fixtures/buffering-follower';
import { fc, propertyRuns } from '../../property-runs';

describe('Send snapshot', () => {
  const sendSnapshot = (request: SnapshotRequest) => handler(JSON.parse(JSON.stringify(request)));
  const ofJob: SnapshotRequest = { kind: 'channel', connection: connection() };

  beforeEach(() => {
    store.resolves({});
    store.on(GetCommand, { TableName: 'jobs' }).resolves({ Item: jobToItem(acme, sampleJob()) });
    store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: shareItem() });
    store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: deviceItem(id('device'), reported) });
    givenSession(viewerSession());
    givenSession(partnerSession());
  });

  test.each<[string, Exclude<SnapshotRequest, { kind: 'share-end' }>, string[]]>([
    ['a follower of a channel', ofJob, ['job.status']],
    ['a viewer', { kind: 'viewer', connectionId: 'viewer-socket' }, ['share.status', 'device.telemetry']],
    [
      'a subscription',
      { kind: 'subscription', connectionId: 'partner-socket', followed: id('device') },
      ['device.telemetry', 'snapshot.end'],
    ],
  ])('sends the first messages of %s, and nothing to other sockets', async (_, request, types) => {
    await sendSnapshot(request);
    const connectionId = request.kind === 'channel' ? request.connection.connectionId : request.connectionId;
    expect(sentTo(connectionId).map(({ type }) => type)).toEqual(types);
    expect(sentTo()).toHaveLength(types.length);
  });

  test.each<[string, SnapshotRequest]>([
    ['socket-1', ofJob],
    ['viewer-socket', { kind: 'viewer', connectionId: 'viewer-socket' }],
    ['partner-socket', { kind: 'subscription', connectionId: 'partner-socket', followed: id('device') }],
  ])('closes %s when the snapshot cannot be read, so that its client reconnects', async (connectionId, request) => {
    store.on(GetCommand).rejects(new Error('throttled'));
    for (const TableName of ['jobs', 'shares', 'fleet', 'connections'])
      store.on(GetCommand, { TableName }).rejects(new Error('throttled'));
    await sendSnapshot(request);
    expect(sentTo()).toEqual([]);
    expect(closed()).toEqual([connectionId]);
    expect(logLines()).toMatchObject([{ level: 'ERROR', connectionId, error: { message: 'throttled' } }]);
  });

  test('closes a socket as soon as its handshake has finished', async () => {
    store.on(GetCommand, { TableName: 'jobs' }).rejects(new Error('throttled'));
    sockets.onAnyCommand().rejectsOnce(gone()).rejectsOnce(gone()).resolves({});
    await sendSnapshot(ofJob);
    expect(closed()).toHaveLength(3);
  });

  test('fails when a socket can be neither posted to nor closed, so that the alarm counts it', async () => {
    store.on(GetCommand, { TableName: 'jobs' }).rejects(new Error('throttled'));
    sockets.onAnyCommand().rejects(new Error('no sockets'));
    await expect(sendSnapshot(ofJob)).rejects.toThrow('no sockets');
  });

  test('reads the state of a group that nobody followed before once every instance has noticed', async () => {
    const began = performance.now();
    await sendSnapshot({ ...ofJob, isUnnoticed: true });
    // A timer may fire a millisecond early.
    expect(performance.now() - began).toBeGreaterThanOrEqual(749);
  });

  test('fails for an unknown event', async () => {
    await expect(handler({ Records: [] })).rejects.toMatchObject({ name: '$ZodError' });
    expect(sockets).not.toHaveReceivedCommand(PostToConnectionCommand);
  });

  test('logs no share code', async () => {
    store.on(GetCommand, { TableName: 'fleet' }).rejects(new Error('throttled'));
    await sendSnapshot({ kind: 'viewer', connectionId: 'viewer-socket' });
    expect(logLines()).toHaveLength(1);
    expect(written.join()).not.toContain('share-');
  });

  test.each([
    ['everybody who follows a share that has ended', {}, ['socket-1', 'viewer']],
    ['everybody later', { later: 'all' as const }, ['socket-1', 'viewer']],
    ['only viewers when the others were told', { later: 'viewers' as const }, ['viewer']],
  ])('tells %s', async (_, request, told) => {
    const { clientId: __, ...viewer } = connection({ connectionId: 'viewer', channel: `share#${id('share')}` });
    const followers = [connection({ channel: `share#${id('share')}` }), { ...viewer, shareCode: id('share') }];
    store.on(QueryCommand, { TableName: 'connections' }).resolves({ Items: followers });
    const message = { type: 'share.status', shareState: 'REVOKED', sequence: 2 } as unknown as StatusMessage;
    await sendSnapshot({ kind: 'share-end', shareCode: id('share'), message, ...request });
    expect(closed().toSorted()).toEqual(told);
  });
});

describe('Interleaved snapshots', () => {
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
      .callsFake(() => turn('state', () => Promise.resolve({ Item: jobToItem(acme, version(now)) })));
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
        await publishToSockets(event, findFollowers(channel));
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
});

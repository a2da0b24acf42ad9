import { setImmediate } from 'node:timers/promises';
import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { DeleteCommand, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { jobToItem } from '../../../data/jobs/jobs';
import { formatCursor } from '../../../domain/events/cursor';
import type { Job } from '../../../domain/jobs/job';
import type { Share } from '../../../domain/shares/share';
import { handler } from '../../../lambdas/channels/status-fan-out.lambda';
import { connection, socketCalls, sockets } from '../../data/fixtures/sockets';
import { sent, store } from '../../data/fixtures/store';
import { jobRecord, record } from '../../data/fixtures/stream-record';
import { snapshotRequests } from '../../data/fixtures/snapshot-function';
import { broker, published } from '../../data/fixtures/topics';
import { acme, id, sampleJob, sampleShare } from '../../domain/fixtures/samples';
import { later, shareItem } from '../fixtures/telemetry';

const run = (...Records: object[]) => handler({ Records });
const unique = (number: number) => `01jd${String(number).padStart(22, '0')}`;
const job = (number: number) => sampleJob({ jobId: id('job', acme, unique(number)) });
const publishedMessages = () =>
  published().map(({ text }) => JSON.parse(text) as { jobId: string; sequence: number; cursor?: string });

/** A record of the shares table; until when its topic has subscribers, before and after. */
const shareRecord = (
  before: Share,
  after: Share | undefined,
  [earlier, until]: readonly (number | undefined)[] = [],
  at?: number,
) =>
  record(
    { organisation: acme, shareCode: before.shareCode },
    { ...before, organisation: acme, topicUntil: earlier },
    after && { ...after, organisation: acme, topicUntil: until },
    1,
    at,
  );

beforeEach(() => {
  process.env['EVENT_RETENTION_DAYS'] = '7';
  process.env['FLIGHT_RETENTION_DAYS'] = '90';
  store.onAnyCommand().resolves({});
  store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: shareItem() });
});

describe('A job or a share whose topic nobody is subscribed to', () => {
  test('is logged and sent to the sockets, without a call of AWS IoT', async () => {
    store.on(QueryCommand, { TableName: 'connections' }).resolves({ Items: [connection()] });
    const moved = { ...job(1), status: 'QUEUED', version: 4 } as const;
    await run(
      jobRecord(undefined, job(1), 1),
      jobRecord(job(1), moved, 2),
      jobRecord(moved, { ...moved, status: 'FAILED', version: 5 }, 3, 1),
    );
    expect(broker).not.toHaveReceivedAnyCommand();
    expect(socketCalls()).toHaveLength(3);
    const sent = sockets.commandCalls(PostToConnectionCommand).map(({ args: [{ input }] }) => input.Data as string);
    for (const text of sent) expect(JSON.parse(text)).toHaveProperty('cursor');
  });

  test('is published no more when its viewers change', async () => {
    const share = sampleShare();
    await run(shareRecord(share, { ...share, currentViewers: 1, version: 2 }));
    expect(broker).not.toHaveReceivedAnyCommand();
  });

  test.each([
    ['job', () => jobRecord(job(1), undefined)],
    ['share', () => shareRecord(sampleShare(), undefined)],
  ])('has its end published, for whoever subscribed a moment ago: a %s', async (_, ended) => {
    await run(ended());
    expect(published()).toMatchObject([{ retain: false }]);
  });
});

const end = { kind: 'share-end', message: { type: 'share.status' } };
test.each<[string, Partial<Share>, string[], string[], object[]]>([
  ['50 places that was revoked', {}, ['viewer'], ['partner'], [{ ...end, later: 'viewers' }]],
  ['50 places that expired', { expired: true }, [], ['partner', 'viewer'], []],
  ['more places that was revoked', { maxViewers: 51 }, ['topic', 'viewer'], [], [{ ...end, later: 'all' }]],
  ['more places that expired', { maxViewers: 51, expired: true }, [], [], [end]],
])(
  'the end of a share of %s: samples are stopped, some are told at once, others by an invocation of its own',
  async (_, change, stopped, told, requests) => {
    const { clientId: __, ...viewer } = connection({ connectionId: 'viewer' });
    const followers = [connection({ connectionId: 'partner' }), { ...viewer, shareCode: id('share') }];
    store.on(QueryCommand, { TableName: 'connections' }).resolves({ Items: followers });
    await run(shareRecord(sampleShare({ maxViewers: 50, ...change }), undefined));
    expect(snapshotRequests()).toMatchObject(requests);
    expect(snapshotRequests().map((request) => (request as { later?: string }).later)).toEqual(
      requests.map((request) => (request as { later?: string }).later),
    );
    expect(endedSamples().map((receiver) => (receiver === 'viewer' ? receiver : 'topic'))).toEqual(stopped);
    const closed = socketCalls().filter((line) => line.endsWith(' closed'));
    expect(closed.map((line) => line.split(' ')[0]).toSorted()).toEqual(told);
  },
);

/** Whose samples of the device have been stopped. */
const endedSamples = () =>
  store
    .commandCalls(DeleteCommand, { TableName: 'connections' })
    .map(({ args: [{ input }] }) => input.Key as { channel: string; connectionId: string })
    .filter(({ channel }) => channel.startsWith('telemetry#'))
    .map(({ connectionId }) => connectionId);

test('a revoked share that nobody watches costs no invocation', async () => {
  store.on(QueryCommand, { TableName: 'connections' }).resolves({ Items: [connection({ connectionId: 'partner' })] });
  await run(shareRecord(sampleShare(), undefined));
  expect(snapshotRequests()).toEqual([]);
});

test('the end of a revoked share is tried again when the samples of a viewer could not be stopped', async () => {
  const { clientId: __, ...viewer } = connection({ connectionId: 'viewer' });
  store.on(QueryCommand, { TableName: 'connections' }).resolves({ Items: [{ ...viewer, shareCode: id('share') }] });
  store.on(DeleteCommand, { TableName: 'connections' }).rejects(new Error('throttled'));
  await expect(run(shareRecord(sampleShare(), undefined))).resolves.toEqual({
    batchItemFailures: [{ itemIdentifier: '1' }],
  });
});

describe('A number of viewers', () => {
  const share = sampleShare();
  const counted = shareRecord(share, { ...share, currentViewers: 1, version: 2 });
  const mark = { channel: `sending#${share.shareCode}`, connectionId: 'sending' };
  /** What is asked of DynamoDB about it, and of the sockets, in order. */
  const steps = (): string[] => {
    const asked: string[] = [];
    const note = (step: string, answer: object) => () => {
      asked.push(step);
      return answer;
    };
    store.on(QueryCommand, { TableName: 'connections' }).callsFake(note('followers', { Items: [connection()] }));
    store.on(UpdateCommand, { Key: mark }).callsFake(note('marked', {}));
    store.on(GetCommand, { TableName: 'shares' }).callsFake(note('share', { Item: shareItem() }));
    sockets.on(PostToConnectionCommand).callsFake(note('sent', {}));
    store.on(DeleteCommand, { Key: mark }).callsFake(note('unmarked', {}));
    return asked;
  };

  test('is marked before the share is looked for, until it has been sent: whoever revokes the share waits for it', async () => {
    const asked = steps();
    await expect(run(counted)).resolves.toEqual({ batchItemFailures: [] });
    expect(asked).toEqual(['followers', 'marked', 'share', 'sent', 'unmarked']);
  });

  test('is not sent once the share has ended, and marked no longer', async () => {
    const asked = steps();
    store.on(GetCommand, { TableName: 'shares' }).resolves({});
    await expect(run(counted)).resolves.toEqual({ batchItemFailures: [] });
    expect(asked).toEqual(['followers', 'marked', 'unmarked']);
  });

  test('is marked no longer when it fails, and is retried', async () => {
    const asked = steps();
    store.on(GetCommand, { TableName: 'shares' }).rejects(new Error('throttled'));
    await expect(run(counted)).resolves.toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    expect(asked).toEqual(['followers', 'marked', 'unmarked']);
  });

  test('that nobody follows costs a read of the share and none of the mark', async () => {
    await run(counted);
    expect(store).not.toHaveReceivedCommand(UpdateCommand);
    expect(store).not.toHaveReceivedCommand(DeleteCommand);
    expect(store).toHaveReceivedCommandTimes(GetCommand, 1);
  });
});

describe('A subscriber who is noted', () => {
  const now = Math.floor(Date.now() / 1000);
  const [earlier, until] = [now + 600, now + 5400];
  const item = (of: Job, topicUntil?: number) => ({ ...jobToItem(acme, of), topicUntil });
  const noted = (of: Job, number: number, before?: number, after = until) =>
    record({ organisation: acme, jobId: of.jobId }, item(of, before), item(of, after), number);
  const followed = (before: Job, after: Job | undefined, number: number) => jobRecord(before, after, number, until);
  const queued: Job = { ...job(1), status: 'QUEUED', version: 4 };
  const failed: Job = { ...job(1), status: 'FAILED', version: 5 };

  test('gets the state of that moment, in order among the changes, while those before it are not published', async () => {
    await run(jobRecord(job(1), queued, 1), noted(queued, 2), followed(queued, failed, 3));
    expect(publishedMessages()).toMatchObject([
      { sequence: 4, jobState: 'QUEUED', snapshot: true },
      { sequence: 5, jobState: 'FAILED', previousState: 'QUEUED' },
    ]);
    expect(publishedMessages()[1]).not.toHaveProperty('snapshot');
  });

  test('gets a state that is retained as long as the audience is noted', async () => {
    await run(noted(queued, 1));
    expect(published()).toMatchObject([{ topic: `${queued.jobId}/JOB/STATUS`, retain: true, qos: 1 }]);
    const [{ expiresIn = 0 } = {}] = published();
    expect(expiresIn).toBeGreaterThan(5300);
    expect(expiresIn).toBeLessThanOrEqual(5400);
  });

  test('gets the state of a job that ended long ago, and of one that was subscribed to before', async () => {
    await run(noted(failed, 1, 1), noted({ ...queued, jobId: job(2).jobId }, 2, earlier));
    expect(publishedMessages()).toMatchObject([
      { jobState: 'FAILED', snapshot: true },
      { jobState: 'QUEUED', snapshot: true },
    ]);
  });

  test('gets the state of an active share, and none of an expired one', async () => {
    const share = sampleShare({ expiresAt: '2999-01-01T00:00:00.000Z', currentViewers: 2 });
    const expired = sampleShare({ shareCode: id('share', acme, unique(2)) });
    const at = (end: string) => Date.parse(end) / 1000;
    store.on(GetCommand, { Key: { organisation: acme, shareCode: expired.shareCode } }).resolves({ Item: expired });
    await run(
      shareRecord(share, share, [undefined, until]),
      shareRecord(expired, expired, [undefined, until], at(expired.expiresAt)),
    );
    expect(publishedMessages()).toMatchObject([{ shareState: 'ACTIVE', currentViewers: 2, snapshot: true }]);
  });

  test('has the last cursor from before the batch, so that it resumes before the changes that come after', async () => {
    const fresh = { ...queued, jobId: job(3).jobId };
    let callsMeanwhile: number | undefined;
    store.on(QueryCommand, { TableName: 'events' }).callsFake(async () => {
      await setImmediate();
      callsMeanwhile ??= sent().length - 1;
      return { Items: [{ number: 7, channel: 'job#other', message: '{}', ttl: later }] };
    });
    await run(noted(fresh, 1), followed(fresh, { ...failed, jobId: fresh.jobId }, 2));
    expect(publishedMessages().map(({ cursor }) => cursor)).toEqual([formatCursor(acme, 7), expect.any(String)]);
    expect(callsMeanwhile).toBe(0);
    expect(sent().length).toBeGreaterThan(1);
  });

  test('causes no message to sockets, no event in the log, and one read for all of its organisation', async () => {
    store.on(QueryCommand, { TableName: 'connections' }).resolves({ Items: [connection()] });
    await run(noted(queued, 1), noted({ ...queued, jobId: job(2).jobId }, 2));
    expect(socketCalls()).toEqual([]);
    expect(sent()).toMatchObject([{ TableName: 'events', ConsistentRead: true }]);
    expect(published()).toHaveLength(2);
  });

  test('whose session is over when the record is read gets nothing', async () => {
    await run(noted(queued, 1, undefined, now - 120));
    expect(broker).not.toHaveReceivedAnyCommand();
  });

  test('gets the state when the log can be read again; other changes do not wait', async () => {
    store.on(QueryCommand, { TableName: 'events' }).rejectsOnce(new Error('throttled'));
    const other = jobRecord(undefined, job(2), 1, until);
    await expect(run(other, noted(queued, 2))).resolves.toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
    expect(publishedMessages()).toMatchObject([{ jobId: job(2).jobId }]);
  });

  test('that something else is noted of the item, or that it stays noted, publishes nothing', async () => {
    const sockets = { ...item(queued, until), socketsUntil: later };
    await run(record({ organisation: acme, jobId: queued.jobId }, item(queued, until), sockets));
    expect(broker).not.toHaveReceivedAnyCommand();
  });
});

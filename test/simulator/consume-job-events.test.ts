import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { EVENT_VERSION } from '../../domain/platform/outbound-events';
import { handler } from '../../packages/simulator/consume-job-events';
import { id } from '../domain/fixtures/samples';
import { dynamodb, eventBridge, publishedDetails } from './fixtures/aws';

const at = '2026-11-27T10:31:07.250Z';
const NOW_S = Date.parse(at) / 1000;

const job = {
  eventId: 'event-1',
  eventVersion: EVENT_VERSION,
  organisationId: 'org-acme0001',
  at,
  jobId: id('job'),
  deviceGroupId: id('group'),
  name: 'Survey',
  description: '',
  priority: 7,
  version: 1,
  status: 'PENDING',
  metadata: { simulate: 'abort' },
};

const consume = (type: string, detail: object) => handler({ 'detail-type': type, detail } as never);
const shareEnded = () => ({
  eventId: 'share-1/2',
  eventVersion: EVENT_VERSION,
  organisationId: 'org-acme0001',
  at,
  shareId: 'share-1',
  resourceId: id('device'),
  deviceId: id('device'),
  shareType: 'STREAM',
  permissions: ['view'],
  createdAt: at,
  expiresAt: at,
  reason: 'REVOKED',
});
const known = new ConditionalCheckFailedException({ message: 'known', $metadata: {} });
const onlyUpdate = () => dynamodb.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input);

beforeEach(() => {
  process.env['SEED'] = 'test';
  jest.useFakeTimers({ now: Date.parse(at) });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('consume-job-events', () => {
  test('inserts a mission for a new job, unless it is known already', async () => {
    await consume('job.created', job);
    const { jobId, deviceGroupId } = job;
    expect(dynamodb).toHaveReceivedCommandWith(PutCommand, {
      TableName: 'missions',
      Item: {
        jobId,
        deviceGroupId,
        priority: 7,
        version: 1,
        plan: { failure: 'abort', laps: 1, speed: 1 },
        state: 'waiting',
        reported: 0,
      },
      ConditionExpression: 'attribute_not_exists(jobId)',
    });
  });

  test('changes the priority of a known mission when the job is updated, unless a later event has come before', async () => {
    dynamodb.on(PutCommand).rejects(known);
    await consume('job.updated', { ...job, priority: 9, version: 2 });
    expect(onlyUpdate()).toEqual([
      {
        TableName: 'missions',
        Key: { jobId: job.jobId },
        UpdateExpression: 'SET priority = :priority, version = :version',
        ExpressionAttributeValues: { ':priority': 9, ':version': 2 },
        ConditionExpression: 'attribute_exists(jobId) AND (attribute_not_exists(version) OR version < :version)',
      },
    ]);
  });

  test('inserts a mission when a change of its job arrives first, unless somebody flies it already', async () => {
    await consume('job.updated', { ...job, version: 2 });
    expect(dynamodb).toHaveReceivedCommandTimes(PutCommand, 1);
    expect(onlyUpdate()).toEqual([]);
    await consume('job.updated', { ...job, version: 3, status: 'IN_PROGRESS' });
    expect(dynamodb).toHaveReceivedCommandTimes(PutCommand, 1);
  });

  const over = [
    ['job.deleted', 'IN_PROGRESS'],
    ['job.cancelled', 'CANCELLED'],
    ['job.updated', 'COMPLETED'],
    ['job.updated', 'FAILED'],
  ] as const;

  test.each(over)('calls the drone home at %s with status %s', async (type, status) => {
    await consume(type, { ...job, status });
    expect(onlyUpdate()).toMatchObject([
      {
        Key: { jobId: job.jobId },
        UpdateExpression: 'SET recalledAt = if_not_exists(recalledAt, :now)',
        ExpressionAttributeValues: { ':now': at, ':flying': 'flying' },
        ConditionExpression: '#state = :flying',
      },
    ]);
  });

  test.each(over)(
    'ends a mission that none flies at %s with status %s, and keeps it for longer than events are replayed',
    async (type, status) => {
      dynamodb.on(UpdateCommand).rejectsOnce(known).resolves({});
      await consume(type, { ...job, status });
      expect(onlyUpdate().at(-1)).toMatchObject({
        Key: { jobId: job.jobId },
        ExpressionAttributeValues: { ':over': 'over', ':ttl': Math.floor(NOW_S) + 15 * 86_400 },
        ConditionExpression: 'attribute_not_exists(#state) OR #state <> :flying',
      });
      expect(eventBridge).not.toHaveReceivedCommand(PutEventsCommand);
    },
  );

  test('calls a drone home that takes off while its mission ends', async () => {
    dynamodb.on(UpdateCommand).rejectsOnce(known).rejectsOnce(known).resolves({});
    await consume('job.deleted', job);
    expect(onlyUpdate().map(({ UpdateExpression = '' }) => UpdateExpression.split(' ')[1])).toEqual([
      'recalledAt',
      '#state',
      'recalledAt',
    ]);
  });

  test('keeps a command for the next tick, once', async () => {
    const { eventVersion, organisationId } = job;
    const kept = {
      requestId: '01kb1x5m9v3f8q2r7t6w4y0z1a',
      shareId: 'share-1',
      deviceId: id('device'),
      command: { name: 'PAUSE' },
      sequence: 3,
      startBefore: '2026-11-27T10:31:17.000Z',
    };
    const requested = () =>
      consume('control.requested', {
        ...kept,
        commandId: kept.requestId,
        eventVersion,
        organisationId,
        origin: 'share',
        requestedAt: '2026-11-27T10:31:07.000Z',
        endBefore: '2026-11-27T10:31:37.000Z',
      });
    await requested();
    dynamodb.on(PutCommand).rejects(known);
    await requested();
    expect(dynamodb).toHaveReceivedCommandWith(PutCommand, {
      Item: { ...kept, jobId: kept.requestId, state: 'requested' },
      ConditionExpression: 'attribute_not_exists(jobId)',
    });
    expect(eventBridge).not.toHaveReceivedCommand(PutEventsCommand);
  });

  test('keeps the end of a share for a minute', async () => {
    const share = shareEnded();
    await consume('share.ended', share);
    expect(dynamodb).toHaveReceivedCommandWith(PutCommand, {
      Item: { jobId: share.shareId, state: 'ended', shareId: share.shareId, ttl: Math.ceil(NOW_S) + 60 },
    });
  });

  test('answers a check of a job by the devices that are registered', async () => {
    const { deviceGroupId } = job;
    dynamodb.on(ScanCommand).resolves({ Items: [{ kind: 'device', deviceId: id('device'), deviceGroupId }] });
    const { eventVersion, organisationId } = job;
    await consume('mission.check.requested', { requestId: 'check-1', eventVersion, organisationId, at, deviceGroupId });
    expect(publishedDetails('mission.check.reported')).toEqual([
      { requestId: 'check-1', length: expect.any(Number) as number, durationSeconds: 71, charge: 9, findings: [] },
    ]);
    expect(dynamodb.commandCalls(PutCommand)).toEqual([]);
  });
});

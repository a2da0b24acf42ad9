import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { EVENT_VERSION } from '../../contract/platform';
import { handler } from '../../simulator/consume-job-events';
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

  test.each([
    ['job.deleted', 'IN_PROGRESS'],
    ['job.cancelled', 'CANCELLED'],
    ['job.updated', 'COMPLETED'],
    ['job.updated', 'FAILED'],
  ])(
    'ends the mission at %s with status %s, and keeps it for longer than events are replayed',
    async (type, status) => {
      await consume(type, { ...job, status });
      expect(onlyUpdate()).toMatchObject([
        {
          Key: { jobId: job.jobId },
          ExpressionAttributeValues: { ':over': 'over', ':ttl': Math.floor(NOW_S) + 15 * 86_400 },
        },
      ]);
      expect(eventBridge).not.toHaveReceivedCommand(PutEventsCommand);
    },
  );

  describe('a command of a viewer', () => {
    const { requestId, deviceId } = { requestId: '01kb1x5m9v3f8q2r7t6w4y0z1a', deviceId: id('device') };
    const requested = () =>
      consume('control.requested', {
        requestId,
        eventVersion: EVENT_VERSION,
        organisationId: 'org-acme0001',
        shareId: 'share',
        deviceId,
        command: { name: 'HOVER' },
        requestedAt: '2026-11-27T10:31:07.000Z',
      });

    test('is refused: simulated drones do not support any', async () => {
      await requested();
      expect(publishedDetails('control.outcome.reported')).toEqual([
        { requestId, deviceId, outcome: 'REFUSED', reason: 'NOT_SUPPORTED', at },
      ]);
    });

    test('is refused once', async () => {
      dynamodb.on(UpdateCommand).rejects(known);
      await requested();
      expect(publishedDetails('control.outcome.reported')).toEqual([]);
    });

    test('is refused at the next attempt when the bus does not answer', async () => {
      eventBridge.on(PutEventsCommand).rejects(new Error('no answer'));
      await expect(requested()).rejects.toThrow('no answer');
      expect(onlyUpdate().map(({ UpdateExpression }) => UpdateExpression)).toEqual([
        'SET #state = :over, #ttl = :ttl REMOVE released',
        'SET released = :true',
      ]);
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

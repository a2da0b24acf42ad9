import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
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
const onlyUpdate = () => dynamodb.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input);

beforeEach(() => {
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
        plan: { failure: 'abort', laps: 1, speed: 1 },
        state: 'waiting',
        reported: 0,
      },
      ConditionExpression: 'attribute_not_exists(jobId)',
    });
  });

  test('changes the priority of a known mission when the job is updated', async () => {
    await consume('job.updated', { ...job, priority: 9 });
    expect(onlyUpdate()).toEqual([
      {
        TableName: 'missions',
        Key: { jobId: job.jobId },
        UpdateExpression: 'SET priority = :priority',
        ExpressionAttributeValues: { ':priority': 9 },
        ConditionExpression: 'attribute_exists(jobId)',
      },
    ]);
  });

  test.each([
    ['job.deleted', 'IN_PROGRESS'],
    ['job.cancelled', 'CANCELLED'],
    ['job.updated', 'COMPLETED'],
    ['job.updated', 'FAILED'],
  ])('ends the mission at %s with status %s, and keeps it for an hour', async (type, status) => {
    await consume(type, { ...job, status });
    expect(onlyUpdate()).toMatchObject([
      {
        Key: { jobId: job.jobId },
        ExpressionAttributeValues: { ':over': 'over', ':ttl': Math.floor(NOW_S) + 3600 },
      },
    ]);
    expect(eventBridge).not.toHaveReceivedCommand(PutEventsCommand);
  });

  test('refuses a command of a viewer, which simulated drones do not support', async () => {
    const { requestId, deviceId } = { requestId: '01kb1x5m9v3f8q2r7t6w4y0z1a', deviceId: id('device') };
    await consume('control.requested', {
      requestId,
      eventVersion: EVENT_VERSION,
      organisationId: 'org-acme0001',
      shareId: 'share',
      deviceId,
      command: { name: 'HOVER' },
      requestedAt: '2026-11-27T10:31:07.000Z',
    });
    expect(publishedDetails('control.outcome.reported')).toEqual([
      { requestId, deviceId, outcome: 'REFUSED', reason: 'NOT_SUPPORTED', at },
    ]);
    expect(dynamodb.calls()).toEqual([]);
  });
});

import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import 'aws-sdk-client-mock-jest';
import { cancelExpiry, readShareEnd, scheduleExpiry } from '../../../data/shares/schedule-share-end';
import { sampleShare } from '../../domain/fixtures/samples';

Object.assign(process.env, {
  EXPIRY_SCHEDULE_GROUP: 'expiry',
  EXPIRY_ROLE_ARN: 'arn:aws:iam::123456789012:role/expiry',
  EXPIRY_FAILURES_ARN: 'arn:aws:sqs:eu-west-1:123456789012:failures',
  SHARE_END_QUEUE_ARN: 'arn:aws:sqs:eu-west-1:123456789012:ends',
  SHARE_END_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/ends',
});

const scheduler = mockClient(SchedulerClient);
const sqs = mockClient(SQSClient);
beforeEach(() => {
  scheduler.reset();
  sqs.reset();
  jest.useFakeTimers({ now: Date.parse('2026-11-27T10:00:00.250Z') });
});
afterEach(() => {
  jest.useRealTimers();
});

const share = sampleShare({ expiresAt: '2026-11-27T11:00:00.900Z' });
const response = { message: 'an error of Scheduler', Message: 'an error of Scheduler', $metadata: {} };
const input = () => scheduler.commandCalls(CreateScheduleCommand)[0]?.args[0].input;

describe('scheduleExpiry', () => {
  test('creates a schedule that sends share code and time to the queue ten minutes before expiry', async () => {
    await scheduleExpiry(share);
    expect(scheduler.calls()).toHaveLength(1);
    expect(sqs.calls()).toEqual([]);
    expect(input()).toMatchObject({
      GroupName: 'expiry',
      ScheduleExpression: 'at(2026-11-27T10:50:00)',
      ScheduleExpressionTimezone: 'UTC',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: {
        Arn: process.env['SHARE_END_QUEUE_ARN'],
        RoleArn: process.env['EXPIRY_ROLE_ARN'],
        DeadLetterConfig: { Arn: process.env['EXPIRY_FAILURES_ARN'] },
      },
    });
    const { shareCode, expiresAt } = share;
    expect(readShareEnd(input()?.Target?.Input ?? '')).toEqual({ shareCode, expiresAt });
  });

  test.each([
    ['2026-11-27T10:15:00.250Z', 900],
    ['2026-11-27T10:01:00.000Z', 60],
    ['2026-11-27T10:00:59.999Z', 60],
    ['2026-11-27T10:00:59.500Z', 59],
    ['2026-11-27T10:00:00.500Z', 0],
    ['2026-11-27T09:59:00.000Z', 0],
  ])(
    'delays a message by whole seconds, to at most 250 ms after the end, when it is 10:00:00.250 and the end %s',
    async (expiresAt, delay) => {
      await scheduleExpiry(sampleShare({ expiresAt }));
      expect(scheduler.calls()).toEqual([]);
      const [sent, ...more] = sqs.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => input);
      expect(sent).toMatchObject({ QueueUrl: process.env['SHARE_END_QUEUE_URL'], DelaySeconds: delay });
      expect(readShareEnd(sent?.MessageBody ?? '')).toEqual({ shareCode: share.shareCode, expiresAt });
      expect(more).toEqual([]);
    },
  );

  test('creates a schedule for what a message cannot be delayed for', async () => {
    await scheduleExpiry(sampleShare({ expiresAt: '2026-11-27T10:15:00.251Z' }));
    expect(input()?.ScheduleExpression).toBe('at(2026-11-27T10:05:00)');
    expect(sqs.calls()).toEqual([]);
  });

  test('fails when the queue does not take the message', async () => {
    sqs.on(SendMessageCommand).rejects(new Error('throttled'));
    await expect(scheduleExpiry(sampleShare({ expiresAt: '2026-11-27T10:01:00.000Z' }))).rejects.toThrow('throttled');
  });

  test('names the schedule by a digest of the share code', async () => {
    await scheduleExpiry(share);
    await scheduleExpiry(sampleShare({ shareCode: `${share.shareCode}x` }));
    const [one, other] = scheduler.commandCalls(CreateScheduleCommand).map(
      ({
        args: [
          {
            input: { Name },
          },
        ],
      }) => Name,
    );
    expect(one).toMatch(/^share-[0-9a-f]{40}$/);
    expect(one).not.toContain(share.shareCode);
    expect(other).not.toBe(one);
  });

  test('keeps an existing schedule, and passes on any other error', async () => {
    scheduler.on(CreateScheduleCommand).rejects(new ConflictException(response));
    await expect(scheduleExpiry(share)).resolves.toBeUndefined();
    const fault = new Error('throttled');
    scheduler.on(CreateScheduleCommand).rejects(fault);
    await expect(scheduleExpiry(share)).rejects.toBe(fault);
  });
});

describe('cancelExpiry', () => {
  test('deletes the schedule of the share', async () => {
    await scheduleExpiry(share);
    await cancelExpiry(share);
    expect(scheduler).toHaveReceivedCommandWith(DeleteScheduleCommand, { GroupName: 'expiry', Name: input()?.Name });
  });

  test('succeeds when the schedule has run, and passes on any other error', async () => {
    scheduler.on(DeleteScheduleCommand).rejects(new ResourceNotFoundException(response));
    await expect(cancelExpiry(share)).resolves.toBeUndefined();
    const fault = new Error('throttled');
    scheduler.on(DeleteScheduleCommand).rejects(fault);
    await expect(cancelExpiry(share)).rejects.toBe(fault);
  });
});

import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { mockClient } from 'aws-sdk-client-mock';
import 'aws-sdk-client-mock-jest';
import { cancelExpiry, scheduleExpiry } from '../../../data/shares/share-expiry';
import { sampleShare } from '../../domain/fixtures/samples';

Object.assign(process.env, {
  EXPIRY_SCHEDULE_GROUP: 'expiry',
  EXPIRY_FUNCTION_ARN: 'arn:aws:lambda:eu-central-1:123456789012:function:expire',
  EXPIRY_ROLE_ARN: 'arn:aws:iam::123456789012:role/expiry',
  EXPIRY_FAILURES_ARN: 'arn:aws:sqs:eu-west-1:123456789012:failures',
});

const scheduler = mockClient(SchedulerClient);
beforeEach(() => {
  scheduler.reset();
  jest.useFakeTimers({ now: Date.parse('2026-11-27T10:00:00.250Z') });
});
afterEach(() => {
  jest.useRealTimers();
});

const share = sampleShare({ expiresAt: '2026-11-27T11:00:00.900Z' });
const response = { message: 'an error of Scheduler', Message: 'an error of Scheduler', $metadata: {} };
const input = () => scheduler.commandCalls(CreateScheduleCommand)[0]?.args[0].input;

describe('scheduleExpiry', () => {
  test('creates a schedule one minute before expiry with share code and time', async () => {
    await scheduleExpiry(share);
    expect(scheduler.calls()).toHaveLength(1);
    expect(input()).toMatchObject({
      GroupName: 'expiry',
      ScheduleExpression: 'at(2026-11-27T10:59:00)',
      ScheduleExpressionTimezone: 'UTC',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: {
        Arn: process.env['EXPIRY_FUNCTION_ARN'],
        RoleArn: process.env['EXPIRY_ROLE_ARN'],
        DeadLetterConfig: { Arn: process.env['EXPIRY_FAILURES_ARN'] },
      },
    });
    const { shareCode, expiresAt } = share;
    expect(JSON.parse(input()?.Target?.Input ?? '')).toEqual({ shareCode, expiresAt });
  });

  test('schedules a few seconds ahead when less than a minute is left', async () => {
    await scheduleExpiry(sampleShare({ expiresAt: '2026-11-27T10:01:00.000Z' }));
    expect(input()?.ScheduleExpression).toBe('at(2026-11-27T10:00:05)');
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

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
const told = { message: 'as Scheduler says it', Message: 'as Scheduler says it', $metadata: {} };
const input = () => scheduler.commandCalls(CreateScheduleCommand)[0]?.args[0].input;

describe('Scheduling the end of a share', () => {
  test('asks for a minute early, once, and hands on which share and when.', async () => {
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

  test('asks for the next moments when there is less time, for Scheduler does not look back.', async () => {
    await scheduleExpiry(sampleShare({ expiresAt: '2026-11-27T10:01:00.000Z' }));
    expect(input()?.ScheduleExpression).toBe('at(2026-11-27T10:00:05)');
  });

  test('names the schedule so that nobody can read the code from it, each share its own.', async () => {
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

  test('that is scheduled already keeps its schedule; any other failure is one.', async () => {
    scheduler.on(CreateScheduleCommand).rejects(new ConflictException(told));
    await expect(scheduleExpiry(share)).resolves.toBeUndefined();
    const fault = new Error('throttled');
    scheduler.on(CreateScheduleCommand).rejects(fault);
    await expect(scheduleExpiry(share)).rejects.toBe(fault);
  });
});

describe('Dropping the schedule of a share', () => {
  test('names the one that was made for it.', async () => {
    await scheduleExpiry(share);
    await cancelExpiry(share);
    expect(scheduler).toHaveReceivedCommandWith(DeleteScheduleCommand, { GroupName: 'expiry', Name: input()?.Name });
  });

  test('that has run is fine; any other failure is one.', async () => {
    scheduler.on(DeleteScheduleCommand).rejects(new ResourceNotFoundException(told));
    await expect(cancelExpiry(share)).resolves.toBeUndefined();
    const fault = new Error('throttled');
    scheduler.on(DeleteScheduleCommand).rejects(fault);
    await expect(cancelExpiry(share)).rejects.toBe(fault);
  });
});

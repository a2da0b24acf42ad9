import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  DeleteScheduleCommand,
  UpdateScheduleCommand,
  type CreateScheduleCommandInput,
} from '@aws-sdk/client-scheduler';
import { parsePolicy } from '../../iam/policy';
import { limitedQuotas } from '../limited-quotas';
import { allow, functionArn, inSeconds, input, roleArn, scheduleArn, schedulerFixture } from './fixture';
import { parseScheduleExpression } from '../../scheduler/schedule';

describe('The Scheduler API', () => {
  const fixture = schedulerFixture();
  const { create, get, names, restart } = fixture;

  test('throttles CreateSchedule beyond the quota', async () => {
    await restart([], { quotas: limitedQuotas({ createSchedule: 1 }) });
    await create();
    await expect(create({ Name: 'share-2' })).rejects.toMatchObject({
      name: 'ThrottlingException',
      $metadata: { httpStatusCode: 429 },
    });
  });

  test('stores a schedule and returns it', async () => {
    expect((await create()).ScheduleArn).toBe(scheduleArn);
    expect(await get()).toMatchObject({
      Arn: scheduleArn,
      State: 'ENABLED',
      CreationDate: expect.any(Date) as unknown,
      Target: { Input: '{"shareCode":"secret"}' },
    });
    expect(await names()).toEqual(['share-1']);
  });

  test('stores schedules in a file that only the owner can read', async () => {
    await create();
    const file = join(fixture.folder, 'schedules.json');
    expect(readFileSync(file, 'utf8')).toContain('share-1');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test.each<[string, Partial<CreateScheduleCommandInput>, string, string?]>([
    ['a bad expression', { ScheduleExpression: 'at(noon)' }, 'ValidationException', 'Invalid Schedule Expression'],
    ['a time in the past', { ScheduleExpression: inSeconds(-5) }, 'ValidationException', 'in the past'],
    ['another time zone', { ScheduleExpressionTimezone: 'Europe/Berlin' }, 'ValidationException', 'Timezone'],
    ['an unsupported option', { KmsKeyArn: 'arn:aws:kms:::key/1' }, 'ValidationException', 'KmsKeyArn'],
    ['an invalid name', { Name: 'a b' }, 'ValidationException', 'Name'],
    ['an unknown group', { GroupName: 'Nobody' }, 'ResourceNotFoundException', 'Nobody'],
    [
      'a target that is neither a function nor a queue',
      { Target: { Arn: 'arn:aws:sns:::t', RoleArn: roleArn('Scheduler') } },
      'ValidationException',
      'only functions and queues',
    ],
    [
      'an input that is not JSON',
      { Target: { Arn: functionArn, RoleArn: roleArn('Scheduler'), Input: 'x' } },
      'ValidationException',
      'JSON',
    ],
    [
      'a role that does not trust Scheduler',
      { Target: { Arn: functionArn, RoleArn: roleArn('Untrusting') } },
      'ValidationException',
      'assume the role',
    ],
    [
      'a role that does not exist',
      { Target: { Arn: functionArn, RoleArn: roleArn('Nobody') } },
      'ValidationException',
      'assume the role',
    ],
  ])('refuses %s', async (_title, more, name, message) => {
    await expect(create(more)).rejects.toMatchObject({
      name,
      message: expect.stringContaining(message ?? '') as unknown,
    });
  });

  test('refuses a second schedule of the same name, and changes to an unknown one', async () => {
    await create();
    await expect(create()).rejects.toMatchObject({ name: 'ConflictException', $metadata: { httpStatusCode: 409 } });
    const unknown = new DeleteScheduleCommand({ Name: 'share-2', GroupName: 'Shares' });
    await expect(fixture.client.send(unknown)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    const update = new UpdateScheduleCommand(input({ Name: 'share-2' }));
    await expect(fixture.client.send(update)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  const passRole = allow('iam:PassRole', roleArn('Scheduler'), {
    StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' },
  });
  const onShares = scheduleArn.replace('share-1', 'share-*');
  test.each<[string, object[], string | undefined]>([
    [
      'allows CreateSchedule with permission for it and for iam:PassRole',
      [allow('scheduler:*', onShares), passRole],
      undefined,
    ],
    ['denies CreateSchedule without iam:PassRole', [allow('scheduler:*', onShares)], 'iam:PassRole'],
    [
      'denies CreateSchedule with permission for other schedules only',
      [allow('scheduler:*', `${onShares}2`), passRole],
      'CreateSchedule',
    ],
  ])('%s', async (_title, Statement, refused) => {
    const by = fixture.clientOf(fixture.endpoint.register('function', () => [parsePolicy({ Statement })]));
    const outcome = await create({}, by).catch((error: unknown) => String(error));
    by.destroy();
    expect(outcome).toEqual(
      refused === undefined ? expect.objectContaining({ ScheduleArn: scheduleArn }) : expect.stringContaining(refused),
    );
  });
});

describe('A schedule expression', () => {
  test.each<[string, unknown]>([
    ['at(2026-11-27T10:30:15)', { at: Date.UTC(2026, 10, 27, 10, 30, 15) }],
    ['rate(1 minute)', { everyMs: 60_000 }],
    ['rate(5 minutes)', { everyMs: 300_000 }],
    ['rate(2 hours)', { everyMs: 7_200_000 }],
    ['rate(1 day)', { everyMs: 86_400_000 }],
  ])('is parsed from %s', (text, timing) => {
    expect(parseScheduleExpression(text)).toEqual(timing);
  });

  test.each([
    'at(2026-02-30T10:30:15)',
    'at(2026-11-27T25:00:00)',
    'at(2026-11-27T10:30:15Z)',
    'at(2026-11-27T10:30:15.000)',
    'at(2026-11-27)',
    'rate(0 minutes)',
    'rate(-1 minutes)',
    'rate(1.5 hours)',
    'rate(5 seconds)',
    'rate(5 minutes) ',
    'cron(0 10 * * ? *)',
    'tomorrow',
    '',
  ])('is not parsed from %s', (text) => {
    expect(parseScheduleExpression(text)).toBeUndefined();
  });
});

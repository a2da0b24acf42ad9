import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateScheduleCommand,
  DeleteScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
  UpdateScheduleCommand,
  type CreateScheduleCommandInput,
} from '@aws-sdk/client-scheduler';
import { createAwsEndpoint } from '../../local/aws-endpoint';
import { createIam } from '../../local/iam';
import { FunctionError, TooManyRequests } from '../../local/lambda';
import { parsePolicy } from '../../local/policy';
import { createScheduler, type SchedulerOptions } from '../../local/scheduler';
import type { AwsApi, Resource, Service } from '../../local/service';
import { until } from './event-source/given';
import { stingy } from './stingy';

const functionArn = 'arn:aws:lambda:eu-central-1:000000000000:function:Expire';
const roleArn = (name: string) => `arn:aws:iam::000000000000:role/${name}`;
const scheduleArn = 'arn:aws:scheduler:eu-central-1:000000000000:schedule/Shares/share-1';
const allow = (Action: string | string[], Resource = '*', Condition = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  Condition,
});
const resource = (type: string, logicalId: string, properties: Resource['properties']): Resource => ({
  type,
  logicalId,
  properties,
  metadata: {},
});
/** `at(…)` so many seconds from now; the API takes whole seconds. */
const inSeconds = (seconds: number) => `at(${new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19)})`;

describe('Scheduler on this machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scheduler-test-'));
  const endpoint = createAwsEndpoint();
  const iam = createIam();
  const calls: [string, unknown][] = [];
  const log: string[] = [];
  const putAside: [queueArn: string, body: string][] = [];
  let answer: () => unknown = () => null;
  let scheduler: Service & AwsApi;
  let client: SchedulerClient;

  const start = async (schedules: Resource[] = [], more: Partial<SchedulerOptions> = {}) => {
    scheduler = createScheduler({
      region: 'eu-central-1',
      accountId: '000000000000',
      dataFolder: folder,
      iam,
      lambda: {
        invoke: async (arn, event) => {
          calls.push([arn, event]);
          return Promise.resolve(answer());
        },
        deadLetterQueueOf: (arn) => `queue of ${arn}`,
      },
      sqs: { send: (queueArn, body) => String(putAside.push([queueArn, body])) },
      log: (line) => log.push(line),
      retryDelaysMs: [1, 1],
      ...more,
    });
    await scheduler.create(resource('AWS::Scheduler::ScheduleGroup', 'Group', { Name: 'Shares' }));
    for (const one of schedules) await scheduler.create(one);
    await scheduler.start?.();
  };
  const clientOf = (credentials = endpoint.admin) =>
    new SchedulerClient({ endpoint: endpoint.url, region: 'eu-central-1', credentials, maxAttempts: 1 });
  const input = (more: Partial<CreateScheduleCommandInput> = {}): CreateScheduleCommandInput => ({
    Name: 'share-1',
    GroupName: 'Shares',
    ScheduleExpression: inSeconds(60),
    ScheduleExpressionTimezone: 'UTC',
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: { Arn: functionArn, RoleArn: roleArn('Scheduler'), Input: '{"shareCode":"secret"}' },
    ...more,
  });
  const create = (more: Partial<CreateScheduleCommandInput> = {}, by = client) =>
    by.send(new CreateScheduleCommand(input(more)));
  const get = () => client.send(new GetScheduleCommand({ Name: 'share-1', GroupName: 'Shares' }));
  const names = async () =>
    ((await client.send(new ListSchedulesCommand({}))).Schedules ?? []).map(({ Name = '' }) => Name);

  beforeAll(async () => {
    const service = (Service: string) => ({
      AssumeRolePolicyDocument: {
        Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service } }],
      },
    });
    const policy = (statement: object) => ({ Policies: [{ PolicyDocument: { Statement: [statement] } }] });
    const mayCall = policy(allow('lambda:InvokeFunction', functionArn));
    await iam.create(resource('AWS::IAM::Role', 'Scheduler', { ...service('scheduler.amazonaws.com'), ...mayCall }));
    await iam.create(resource('AWS::IAM::Role', 'Untrusting', { ...service('lambda.amazonaws.com'), ...mayCall }));
    await iam.create(resource('AWS::IAM::Role', 'Powerless', service('scheduler.amazonaws.com')));
    // Each start makes another one.
    endpoint.add({
      signingName: 'scheduler',
      permissions: (call) => scheduler.permissions(call),
      answer: (call) => scheduler.answer(call),
    });
    await endpoint.start();
    client = clientOf();
  });
  beforeEach(() => start());
  afterEach(async () => {
    await scheduler.stop?.();
    answer = () => null;
    calls.length = log.length = putAside.length = 0;
    rmSync(join(folder, 'schedules.json'), { force: true });
  });
  afterAll(async () => {
    client.destroy();
    await endpoint.stop();
    rmSync(folder, { recursive: true });
  });

  it('is throttled beyond the quota of new schedules', async () => {
    await scheduler.stop?.();
    await start([], { quotas: stingy({ createSchedule: 1 }) });
    await create();
    await expect(create({ Name: 'share-2' })).rejects.toMatchObject({
      name: 'ThrottlingException',
      $metadata: { httpStatusCode: 429 },
    });
  });

  it('comes back to a function that Lambda throttles, without losing an attempt', async () => {
    await scheduler.stop?.();
    await start([], { retryDelaysMs: [] });
    answer = () => {
      if (calls.length === 1) throw new TooManyRequests();
      return null;
    };
    await create({ ScheduleExpression: inSeconds(1) });
    await until(() => calls.length === 2);
    expect(putAside).toEqual([]);
  });

  it('keeps a schedule and shows it', async () => {
    expect((await create()).ScheduleArn).toBe(scheduleArn);
    expect(await get()).toMatchObject({
      Arn: scheduleArn,
      State: 'ENABLED',
      CreationDate: expect.any(Date) as unknown,
      Target: { Input: '{"shareCode":"secret"}' },
    });
    expect(await names()).toEqual(['share-1']);
  });

  it('keeps what is in schedules to the owner of the data', async () => {
    await create();
    const file = join(folder, 'schedules.json');
    expect(readFileSync(file, 'utf8')).toContain('share-1');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('calls the function at its time with the input, and drops the schedule', async () => {
    const begin = Date.now();
    await create({ ScheduleExpression: inSeconds(2) });
    await until(() => calls.length > 0);
    expect(Date.now() - begin).toBeGreaterThan(900);
    expect(calls).toEqual([[functionArn, { shareCode: 'secret' }]]);
    await expect(get()).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  it('keeps a schedule that has been carried out when it is not to be deleted, and calls once', async () => {
    await create({ ScheduleExpression: inSeconds(1), ActionAfterCompletion: 'NONE' });
    await until(() => calls.length > 0);
    await scheduler.stop?.();
    await start();
    expect(await names()).toEqual(['share-1']);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(calls).toHaveLength(1);
  });

  it('carries out at start what came due while it was stopped', async () => {
    await create({ ScheduleExpression: inSeconds(1) });
    await scheduler.stop?.();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(calls).toEqual([]);
    await start();
    await until(() => calls.length > 0);
    expect(calls).toHaveLength(1);
  });

  it('calls again at the next start when it was stopped during the call', async () => {
    let end = (): void => undefined;
    answer = () => new Promise((_resolve, reject) => (end = () => reject(new FunctionError('Exit', 'stopped'))));
    await create({ ScheduleExpression: inSeconds(1) });
    await until(() => calls.length > 0);
    await scheduler.stop?.();
    end();
    answer = () => null;
    await new Promise(setImmediate);
    await start();
    await until(() => calls.length > 1);
    expect(calls).toHaveLength(2);
  });

  it('forgets a schedule that was deleted', async () => {
    await create({ ScheduleExpression: inSeconds(1) });
    await client.send(new DeleteScheduleCommand({ Name: 'share-1', GroupName: 'Shares' }));
    expect(await names()).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(calls).toEqual([]);
  });

  it('calls at the new time after an update', async () => {
    await create();
    await client.send(new UpdateScheduleCommand(input({ ScheduleExpression: inSeconds(1) })));
    await until(() => calls.length > 0);
    expect(calls).toHaveLength(1);
  });

  it('tries a function that fails twice more, puts the event aside, and tells of it without the input', async () => {
    answer = () => {
      throw new FunctionError('TypeError', 'secret');
    };
    await create({ ScheduleExpression: inSeconds(1) });
    await until(() => log.length === 3);
    expect(calls).toHaveLength(3);
    expect(log[0]).toBe(`schedule share-1: ${functionArn} failed: TypeError`);
    expect(await names()).toEqual([]);
    expect(putAside).toEqual([[`queue of ${functionArn}`, '{"shareCode":"secret"}']]);
  });

  it('carries out a schedule of the template at once and then at its rate, with the event of AWS when it has no input', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const Target = { Arn: functionArn, RoleArn: roleArn('Scheduler'), RetryPolicy: { MaximumRetryAttempts: 0 } };
      const properties = {
        ScheduleExpression: 'rate(5 minutes)',
        ScheduleExpressionTimezone: 'Etc/UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        State: 'ENABLED',
        Target,
      };
      const beat = resource('AWS::Scheduler::Schedule', 'Beat', properties);
      await scheduler.stop?.();
      await start([beat, resource('AWS::Scheduler::Schedule', 'Off', { ...properties, State: 'DISABLED' })]);
      await jest.advanceTimersByTimeAsync(299_000);
      expect(calls).toHaveLength(1);
      await jest.advanceTimersByTimeAsync(302_000);
      expect(calls).toHaveLength(3);
    } finally {
      jest.useRealTimers();
    }
    expect(calls[0]).toEqual([
      functionArn,
      expect.objectContaining({
        source: 'aws.scheduler',
        resources: ['arn:aws:scheduler:eu-central-1:000000000000:schedule/default/Beat'],
      }),
    ]);
  });

  describe('when the clock jumps', () => {
    const HOUR_MS = 3_600_000;
    const given = async (ScheduleExpression: string) => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
      await scheduler.stop?.();
      const Target = { Arn: functionArn, RoleArn: roleArn('Scheduler') };
      const properties = { ScheduleExpression, FlexibleTimeWindow: { Mode: 'OFF' }, Target };
      await start([resource('AWS::Scheduler::Schedule', 'One', properties)]);
    };
    const jump = (ms: number) => jest.setSystemTime(Date.now() + ms);
    const pass = (seconds: number) => jest.advanceTimersByTimeAsync(seconds * 1000);
    afterEach(() => jest.useRealTimers());

    it('forwards, carries out what is due by now', async () => {
      await given(inSeconds(3600));
      await pass(10);
      expect(calls).toHaveLength(0);
      jump(HOUR_MS);
      await pass(1);
      expect(calls).toHaveLength(1);
    });

    it('backwards, carries out nothing before its time, and then does', async () => {
      await given(inSeconds(10));
      jump(-HOUR_MS);
      await pass(3000);
      expect(calls).toHaveLength(0);
      await pass(611);
      expect(calls).toHaveLength(1);
    });

    it('keeps to a rate: no interval is longer, and what was missed is made up for once', async () => {
      await given('rate(1 minute)');
      await pass(30);
      expect(calls).toHaveLength(1);
      jump(-HOUR_MS);
      await pass(61);
      expect(calls).toHaveLength(2);
      jump(2 * HOUR_MS);
      await pass(1);
      expect(calls).toHaveLength(3);
    });
  });

  it.each<[string, Partial<CreateScheduleCommandInput>, string, string?]>([
    ['a bad expression', { ScheduleExpression: 'at(noon)' }, 'ValidationException', 'Invalid Schedule Expression'],
    ['a moment that has passed', { ScheduleExpression: inSeconds(-5) }, 'ValidationException', 'in the past'],
    ['another time zone', { ScheduleExpressionTimezone: 'Europe/Berlin' }, 'ValidationException', 'Timezone'],
    ['an option that is not played', { KmsKeyArn: 'arn:aws:kms:::key/1' }, 'ValidationException', 'KmsKeyArn'],
    ['a name that is none', { Name: 'a b' }, 'ValidationException', 'Name'],
    ['an unknown group', { GroupName: 'Nobody' }, 'ResourceNotFoundException', 'Nobody'],
    [
      'a target that is no function',
      { Target: { Arn: 'arn:aws:sqs:::q', RoleArn: roleArn('Scheduler') } },
      'ValidationException',
      'only functions',
    ],
    [
      'an input that is no JSON',
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

  it('refuses a second schedule of the same name, and one that is not there', async () => {
    await create();
    await expect(create()).rejects.toMatchObject({ name: 'ConflictException', $metadata: { httpStatusCode: 409 } });
    const gone = new DeleteScheduleCommand({ Name: 'share-2', GroupName: 'Shares' });
    await expect(client.send(gone)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    const update = new UpdateScheduleCommand(input({ Name: 'share-2' }));
    await expect(client.send(update)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  it('does not call a function that the role may not invoke, and says so', async () => {
    const Target = { Arn: functionArn, RoleArn: roleArn('Powerless') };
    await create({ ScheduleExpression: inSeconds(1), Target });
    await until(() => log.length > 0);
    expect(log[0]).toContain(`does not allow lambda:InvokeFunction on ${functionArn}`);
    expect(calls).toEqual([]);
  });

  const passRole = allow('iam:PassRole', roleArn('Scheduler'), {
    StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' },
  });
  const onShares = scheduleArn.replace('share-1', 'share-*');
  it.each<[string, object[], string | undefined]>([
    ['takes a schedule of who may make it and pass its role', [allow('scheduler:*', onShares), passRole], undefined],
    ['takes none of who may not pass its role', [allow('scheduler:*', onShares)], 'iam:PassRole'],
    ['takes none of who may make others only', [allow('scheduler:*', `${onShares}2`), passRole], 'CreateSchedule'],
  ])('%s', async (_title, Statement, refused) => {
    const by = clientOf(endpoint.register('function', () => [parsePolicy({ Statement })]));
    const outcome = await create({}, by).catch((error: unknown) => String(error));
    by.destroy();
    expect(outcome).toEqual(
      refused === undefined ? expect.objectContaining({ ScheduleArn: scheduleArn }) : expect.stringContaining(refused),
    );
  });
});

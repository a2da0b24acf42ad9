import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
  type CreateScheduleCommandInput,
  type CreateScheduleCommandOutput,
  type GetScheduleCommandOutput,
} from '@aws-sdk/client-scheduler';
import { createAwsEndpoint, type AwsEndpoint } from '../../aws-endpoint';
import { createIam } from '../../iam';
import { createScheduler, type SchedulerOptions } from '../../scheduler';
import type { EventLimits } from '../../lambda';
import type { AwsApi, Resource, Service } from '../../service';

export const functionArn = 'arn:aws:lambda:eu-central-1:000000000000:function:Expire';
export const roleArn = (name: string) => `arn:aws:iam::000000000000:role/${name}`;
export const scheduleArn = 'arn:aws:scheduler:eu-central-1:000000000000:schedule/Shares/share-1';
export const allow = (Action: string | string[], Resource = '*', Condition = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  Condition,
});
export const resource = (type: string, logicalId: string, properties: Resource['properties']): Resource => ({
  type,
  logicalId,
  properties,
  metadata: {},
});

/** `at(…)` in so many seconds from now; the API takes whole seconds. */
export const inSeconds = (seconds: number) => `at(${new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19)})`;

/** Lets timers run, and time pass, for so many seconds. Needs the fake timers of {@link schedulerFixture}. */
export const pass = (seconds: number) => jest.advanceTimersByTimeAsync(seconds * 1000);

/** Input of CreateSchedule for `Shares/share-1`, due in a minute. */
export const input = (more: Partial<CreateScheduleCommandInput> = {}): CreateScheduleCommandInput => ({
  Name: 'share-1',
  GroupName: 'Shares',
  ScheduleExpression: inSeconds(60),
  ScheduleExpressionTimezone: 'UTC',
  FlexibleTimeWindow: { Mode: 'OFF' },
  ActionAfterCompletion: 'DELETE',
  Target: { Arn: functionArn, RoleArn: roleArn('Scheduler'), Input: '{"shareCode":"secret"}' },
  ...more,
});

/** A Scheduler behind an AWS endpoint, with the schedule group `Shares`. */
export interface SchedulerFixture {
  readonly folder: string;
  readonly endpoint: AwsEndpoint;
  /** Invocations of functions. */
  readonly calls: [functionArn: string, event: unknown][];
  readonly log: string[];
  /** Messages to queues: targets, and dead-letter queues of functions. */
  readonly sent: [queueArn: string, body: string][];
  /** Result of an invocation. */
  answer: () => unknown;
  /** Of the function's AWS::Lambda::EventInvokeConfig. */
  limits: EventLimits;
  readonly scheduler: Service & AwsApi;
  readonly client: SchedulerClient;
  clientOf(credentials?: AwsEndpoint['admin']): SchedulerClient;
  /** Stops the Scheduler and starts another one on the same data folder. */
  restart(schedules?: Resource[], more?: Partial<SchedulerOptions>): Promise<void>;
  create(more?: Partial<CreateScheduleCommandInput>, by?: SchedulerClient): Promise<CreateScheduleCommandOutput>;
  get(): Promise<GetScheduleCommandOutput>;
  names(): Promise<string[]>;
}

/** Registers hooks that start a Scheduler for each test, under fake timers that begin at a whole second. */
export function schedulerFixture(): SchedulerFixture {
  const folder = mkdtempSync(join(tmpdir(), 'scheduler-test-'));
  const endpoint = createAwsEndpoint();
  const iam = createIam();
  const calls: SchedulerFixture['calls'] = [];
  const log: string[] = [];
  const sent: SchedulerFixture['sent'] = [];
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
          return Promise.resolve(fixture.answer());
        },
        eventLimitsOf: () => fixture.limits,
        deadLetterQueueOf: (arn) => `queue of ${arn}`,
      },
      sqs: { send: (queueArn, body) => String(sent.push([queueArn, body])) },
      log: (line) => log.push(line),
      ...more,
    });
    await scheduler.create(resource('AWS::Scheduler::ScheduleGroup', 'Group', { Name: 'Shares' }));
    for (const one of schedules) await scheduler.create(one);
    await scheduler.start?.();
  };

  const fixture: SchedulerFixture = {
    folder,
    endpoint,
    calls,
    log,
    sent,
    answer: () => null,
    limits: {},
    get scheduler() {
      return scheduler;
    },
    get client() {
      return client;
    },
    clientOf: (credentials = endpoint.admin) =>
      new SchedulerClient({ endpoint: endpoint.url, region: 'eu-central-1', credentials, maxAttempts: 1 }),
    async restart(schedules, more) {
      await scheduler.stop?.();
      await start(schedules, more);
    },
    create: (more = {}, by = client) => by.send(new CreateScheduleCommand(input(more))),
    get: () => client.send(new GetScheduleCommand({ Name: 'share-1', GroupName: 'Shares' })),
    names: async () => ((await client.send(new ListSchedulesCommand({}))).Schedules ?? []).map(({ Name = '' }) => Name),
  };

  beforeAll(async () => {
    const service = (Service: string) => ({
      AssumeRolePolicyDocument: {
        Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service } }],
      },
    });
    const policy = (statement: object) => ({ Policies: [{ PolicyDocument: { Statement: [statement] } }] });
    const mayCall = policy(allow(['lambda:InvokeFunction', 'sqs:SendMessage']));
    await iam.create(resource('AWS::IAM::Role', 'Scheduler', { ...service('scheduler.amazonaws.com'), ...mayCall }));
    await iam.create(resource('AWS::IAM::Role', 'Untrusting', { ...service('lambda.amazonaws.com'), ...mayCall }));
    await iam.create(resource('AWS::IAM::Role', 'Powerless', service('scheduler.amazonaws.com')));
    // Delegates, because each test starts another Scheduler.
    endpoint.add({
      signingName: 'scheduler',
      permissions: (call) => scheduler.permissions(call),
      answer: (call) => scheduler.answer(call),
    });
    await endpoint.start();
    client = fixture.clientOf();
  });
  beforeEach(() => {
    // HTTP needs the functions that are not faked.
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'],
      now: Math.ceil(Date.now() / 1000) * 1000,
    });
    return start();
  });
  afterEach(async () => {
    await scheduler.stop?.();
    jest.useRealTimers();
    fixture.answer = () => null;
    fixture.limits = {};
    calls.length = log.length = sent.length = 0;
    rmSync(join(folder, 'schedules.json'), { force: true });
  });
  afterAll(async () => {
    client.destroy();
    await endpoint.stop();
    rmSync(folder, { recursive: true });
  });
  return fixture;
}

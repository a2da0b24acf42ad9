import { permissionsIn } from '../permissions';
import { smallTable, synthesise } from '../synthesised';

const stack = synthesise({}, smallTable);
const { byPath, resources } = stack;
const { permissionsOf, nameOf } = permissionsIn(stack);

const mappings = Object.entries(byPath('AWS::Lambda::EventSourceMapping')).filter(
  ([path, { Properties }]) => /^(Realtime|ShareExpiry)\//.test(path) && 'StartingPosition' in Properties,
);

const only = (filter: object) => ({ Filters: [{ Pattern: JSON.stringify(filter) }] });

test.each([
  ['Realtime/FanOut/StatusFanOut/FromJobs', 'jobs', 'Realtime/FanOut', undefined],
  [
    'Realtime/FanOut/StatusFanOut/FromShares',
    'shares',
    'Realtime/FanOut',
    only({ dynamodb: { NewImage: { expired: { BOOL: [{ exists: false }] } } } }),
  ],
  [
    'Realtime/FanOut/StatusFanOut/FromFleet',
    'fleet',
    'Realtime/FanOut',
    only({
      dynamodb: { Keys: { id: { S: [{ prefix: 'device-' }] } }, NewImage: { quiet: { S: [{ exists: false }] } } },
    }),
  ],
  [
    'Realtime/FanOut/StatusFanOut/FromCommands',
    'commands',
    'Realtime/FanOut',
    only({ dynamodb: { Keys: { commandId: { S: [{ prefix: 'command-' }] } } } }),
  ],
  ['ShareExpiry/OnShareChange/FromShares', 'shares', 'ShareExpiry', only({ eventName: ['INSERT', 'REMOVE'] })],
])('%s reads the stream of %s', (name, table, part, filter) => {
  const mapping = Object.fromEntries(mappings)[name]?.Properties ?? {};
  expect(nameOf(mapping['EventSourceArn'])).toBe(`${table}/stream`);
  expect(nameOf(mapping['FunctionName'])).toBe(`${name.split('/').slice(0, -1).join('/')}/Function`);
  expect(mapping['FilterCriteria']).toEqual(filter);
  const { OnFailure } = mapping['DestinationConfig'] as { OnFailure: { Destination: unknown } };
  expect(nameOf(OnFailure.Destination)).toBe(`${part}/Failures`);
});

test.each(mappings)(
  '%s keeps the order, retries for 15 minutes, and is not blocked by a failing record',
  (_path, { Properties }) => {
    expect(Properties).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 100,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRecordAgeInSeconds: 900,
    });
    // A number of retries is used up within seconds, while a table or AWS IoT may be down for minutes.
    expect(Properties).not.toHaveProperty('MaximumRetryAttempts');
    // A batching window would delay changes.
    expect(Properties).not.toHaveProperty('MaximumBatchingWindowInSeconds');
    expect(Properties['Enabled'] ?? true).toBe(true);
  },
);

test('only states of devices and commands are processed in several batches of a shard at the same time', () => {
  const factors = mappings.map(([path, { Properties }]) => [path, Properties['ParallelizationFactor'] ?? 1]);
  expect(factors.filter(([, factor]) => factor !== 1)).toEqual([
    ['Realtime/FanOut/StatusFanOut/FromCommands', 10],
    ['Realtime/FanOut/StatusFanOut/FromFleet', 10],
  ]);
});

test('no other streams are read', () => {
  expect(mappings).toHaveLength(5);
});

test.each(['Realtime/FanOut', 'ShareExpiry'])(
  'the dead-letter queue of %s keeps messages for two weeks, encrypted',
  (part) => {
    const path = `${part}/Failures`;
    expect(byPath('AWS::SQS::Queue')[path]?.Properties).toEqual({
      MessageRetentionPeriod: 14 * 24 * 3600,
      SqsManagedSseEnabled: true,
      Tags: expect.anything() as unknown,
    });
    const policy = byPath('AWS::SQS::QueuePolicy')[`${path}/Policy`]?.Properties['PolicyDocument'];
    expect(policy).toMatchObject({
      Statement: [{ Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
    });
  },
);

describe.each([
  [
    'ShareExpiry',
    (group: string) => group,
    ['sqs:SendMessage ShareExpiry/Ends', 'sqs:SendMessage ShareExpiry/Failures'],
  ],
  ['Realtime/Heartbeat', () => 'default', ['lambda:InvokeFunction Realtime/Heartbeat/Heartbeat/Function']],
  ['Realtime/Reconcile', () => 'default', ['lambda:InvokeFunction Realtime/Reconcile/Reconcile/Function']],
] as const)('Schedules of %s', (path, groupOf, permissions) => {
  const [group] = Object.values(byPath('AWS::Scheduler::ScheduleGroup')).map(({ Properties }) => Properties['Name']);

  test('may only invoke their function, or send to their queue and its dead-letter queue', () => {
    expect(permissionsOf(path)).toEqual(permissions.map((permission) => `Allow ${permission}`));
  });

  test('are the only ones that can assume their role', () => {
    const role = byPath('AWS::IAM::Role')[`${path}/Role`]?.Properties['AssumeRolePolicyDocument'];
    const { Statement } = role as {
      Statement: { Action: string; Principal: object; Condition: { StringEquals: Record<string, unknown> } }[];
    };
    expect(Statement).toHaveLength(1);
    expect(Statement[0]).toMatchObject({
      Effect: 'Allow',
      Action: 'sts:AssumeRole',
      Principal: { Service: 'scheduler.amazonaws.com' },
    });
    const { 'aws:SourceAccount': account, 'aws:SourceArn': source } = Statement[0]?.Condition.StringEquals ?? {};
    expect(account).toEqual({ Ref: 'AWS::AccountId' });
    expect(nameOf(source)).toBe(`scheduler:schedule-group/${groupOf(String(group))}`);
  });
});

test('no stream has more than two readers, as DynamoDB recommends', () => {
  const sources = Object.values(byPath('AWS::Lambda::EventSourceMapping')).map(({ Properties }) =>
    JSON.stringify(Properties['EventSourceArn']),
  );
  const readers = sources.filter((source) => source.includes('StreamArn'));
  expect(readers.length).toBeGreaterThan(4);
  for (const source of new Set(readers)) expect(readers.filter((other) => other === source).length).toBeLessThan(3);
});

test('the schedule group of shares is deleted with the stack, since its name is fixed', () => {
  const [group] = Object.values(byPath('AWS::Scheduler::ScheduleGroup'));
  expect(group?.DeletionPolicy).toBe('Delete');
});

test.each([
  ['Realtime/Heartbeat', 'Heartbeat', 'rate(1 minute)'],
  ['Realtime/Reconcile', 'Reconcile', 'rate(1 minute)'],
])('%s is scheduled on time, and a failed run is not retried', (path, called, rate) => {
  const schedule = byPath('AWS::Scheduler::Schedule')[`${path}/Schedule`];
  expect(schedule?.Properties).toMatchObject({
    ScheduleExpression: rate,
    FlexibleTimeWindow: { Mode: 'OFF' },
    State: 'ENABLED',
    Target: { RetryPolicy: { MaximumRetryAttempts: 0 } },
  });
  const { Arn, RoleArn } = schedule?.Properties['Target'] as { Arn: unknown; RoleArn: unknown };
  expect([nameOf(Arn), nameOf(RoleArn)]).toEqual([`${path}/${called}/Function`, `${path}/Role`]);
});

test('the template has no other schedules, and one schedule group, for shares', () => {
  expect(Object.keys(byPath('AWS::Scheduler::Schedule'))).toHaveLength(2);
  expect(Object.values(resources).filter(({ Type }) => Type === 'AWS::Scheduler::ScheduleGroup')).toHaveLength(1);
});

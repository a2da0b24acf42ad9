import { environmentOf, rightsIn } from '../rights';
import { smallTable, synthesise } from '../synthesised';

const stack = synthesise({}, smallTable);
const { byPath, resources } = stack;
const { rightsOf, nameOf } = rightsIn(stack);

const mappings = Object.entries(byPath('AWS::Lambda::EventSourceMapping')).filter(
  ([path, { Properties }]) => path.startsWith('StatusChannels/') && 'StartingPosition' in Properties,
);

const only = (filter: object) => ({ Filters: [{ Pattern: JSON.stringify(filter) }] });

test.each([
  ['FanOut/StatusFanOut/FromJobs', 'jobs', 'FanOut', undefined],
  ['FanOut/StatusFanOut/FromShares', 'shares', 'FanOut', undefined],
  [
    'FanOut/StatusFanOut/FromFleet',
    'fleet',
    'FanOut',
    only({ dynamodb: { Keys: { id: { S: [{ prefix: 'device-' }] } } } }),
  ],
  ['ShareExpiry/OnShareChange/FromShares', 'shares', 'ShareExpiry', only({ eventName: ['INSERT', 'REMOVE'] })],
])('%s takes what changes in %s', (name, table, part, filter) => {
  const mapping = Object.fromEntries(mappings)[`StatusChannels/${name}`]?.Properties ?? {};
  expect(nameOf(mapping['EventSourceArn'])).toBe(`${table}/stream`);
  expect(nameOf(mapping['FunctionName'])).toBe(`StatusChannels/${name.split('/').slice(0, 2).join('/')}/Function`);
  expect(mapping['FilterCriteria']).toEqual(filter);
  const { OnFailure } = mapping['DestinationConfig'] as { OnFailure: { Destination: unknown } };
  expect(nameOf(OnFailure.Destination)).toBe(`StatusChannels/${part}/Failures`);
});

test.each(mappings)(
  '%s keeps order, tries again for a quarter of an hour, and is blocked by no record',
  (_path, { Properties }) => {
    expect(Properties).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 100,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRecordAgeInSeconds: 900,
    });
    // Five tries are over within seconds, while a table or AWS IoT may be out for minutes.
    expect(Properties).not.toHaveProperty('MaximumRetryAttempts');
    // Several batches of a shard at once would be in order for each item still, but a window would hold changes back.
    expect(Properties).not.toHaveProperty('MaximumBatchingWindowInSeconds');
    expect(Properties['Enabled'] ?? true).toBe(true);
  },
);

test('No other stream is read', () => {
  expect(mappings).toHaveLength(4);
});

test.each(['FanOut', 'ShareExpiry'])('What %s could not work on is kept for two weeks, encrypted', (part) => {
  const place = `StatusChannels/${part}/Failures`;
  expect(byPath('AWS::SQS::Queue')[place]?.Properties).toEqual({
    MessageRetentionPeriod: 14 * 24 * 3600,
    SqsManagedSseEnabled: true,
    Tags: expect.anything() as unknown,
  });
  const policy = byPath('AWS::SQS::QueuePolicy')[`${place}/Policy`]?.Properties['PolicyDocument'];
  expect(policy).toMatchObject({
    Statement: [{ Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
  });
});

describe.each([
  [
    ...['StatusChannels/ShareExpiry', 'ExpireShare'],
    (group: string) => group,
    ['sqs:SendMessage StatusChannels/ShareExpiry/Failures'],
  ],
  ['StatusChannels/Heartbeat', 'Heartbeat', () => 'default', []],
  ['Reconcile', 'Reconcile', () => 'default', []],
] as const)('Schedules of %s', (place, called, groupOf, more) => {
  const [group] = Object.values(byPath('AWS::Scheduler::ScheduleGroup')).map(({ Properties }) => Properties['Name']);

  test('may call their function, put aside what they could not hand over, and nothing else', () => {
    const rights = [`lambda:InvokeFunction ${place}/${called}/Function`, ...more];
    expect(rightsOf(place)).toEqual(rights.map((right) => `Allow ${right}`));
  });

  test('are the only ones that take on their role', () => {
    const role = byPath('AWS::IAM::Role')[`${place}/Role`]?.Properties['AssumeRolePolicyDocument'];
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

test('A share that could not be ended on time is put aside with those that could not be scheduled', () => {
  const expire = byPath('AWS::Lambda::Function')['StatusChannels/ShareExpiry/ExpireShare/Function']?.Properties;
  const { TargetArn } = expire?.['DeadLetterConfig'] as { TargetArn: unknown };
  const schedule = byPath('AWS::Lambda::Function')['StatusChannels/ShareExpiry/OnShareChange/Function'];
  for (const queue of [TargetArn, environmentOf(schedule)['EXPIRY_FAILURES_ARN']])
    expect(nameOf(queue)).toBe('StatusChannels/ShareExpiry/Failures');
});

test('No stream has more than the two readers that DynamoDB advises', () => {
  const sources = Object.values(byPath('AWS::Lambda::EventSourceMapping')).map(({ Properties }) =>
    JSON.stringify(Properties['EventSourceArn']),
  );
  const readers = sources.filter((source) => source.includes('StreamArn'));
  expect(readers.length).toBeGreaterThan(4);
  for (const source of new Set(readers)) expect(readers.filter((other) => other === source).length).toBeLessThan(3);
});

test('Schedules of shares go with the stack, for their group has a fixed name', () => {
  const [group] = Object.values(byPath('AWS::Scheduler::ScheduleGroup'));
  expect(group?.DeletionPolicy).toBe('Delete');
});

test.each([
  ['The heart beats', 'StatusChannels/Heartbeat', 'Heartbeat', 'rate(1 minute)'],
  ['What is untrue is made true', 'Reconcile', 'Reconcile', 'rate(1 minute)'],
])('%s in time, and a run that failed is not made up for', (_, place, called, rate) => {
  const schedule = byPath('AWS::Scheduler::Schedule')[`${place}/Schedule`];
  expect(schedule?.Properties).toMatchObject({
    ScheduleExpression: rate,
    FlexibleTimeWindow: { Mode: 'OFF' },
    State: 'ENABLED',
    Target: { RetryPolicy: { MaximumRetryAttempts: 0 } },
  });
  const { Arn, RoleArn } = schedule?.Properties['Target'] as { Arn: unknown; RoleArn: unknown };
  expect([nameOf(Arn), nameOf(RoleArn)]).toEqual([`${place}/${called}/Function`, `${place}/Role`]);
});

test('There are no other schedules in the template, and one group for those of shares', () => {
  expect(Object.keys(byPath('AWS::Scheduler::Schedule'))).toHaveLength(2);
  expect(Object.values(resources).filter(({ Type }) => Type === 'AWS::Scheduler::ScheduleGroup')).toHaveLength(1);
});

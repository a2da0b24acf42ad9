import { tableNames } from '../../../contract/tables';
import { filtersOn } from '../observability/filter-pattern';
import { ownFunctions } from '../permissions';
import { synthesise } from '../synthesised';

const whole = synthesise({ simulatedFleet: 'true' });

test.each(Object.entries(whole.byPath('AWS::CloudWatch::Alarm')))(
  'the alarm %s describes the impact on partners',
  (_, alarm) => {
    expect(alarm.Properties['AlarmDescription']).toMatch(/partners|slow or (returns 500|refused)/i);
    expect(alarm.Properties).toMatchObject({
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    });
  },
);

const alarms = whole.byPath('AWS::CloudWatch::Alarm');
const alarmNamed = (name: string) => alarms[`Observability/Alarms/${name}`]?.Properties;

interface MetricQuery {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: {
    readonly Metric: { Namespace: string; MetricName: string; Dimensions?: { Name: string; Value: unknown }[] };
  };
}
const queriesOf = (name: string) => (alarmNamed(name)?.['Metrics'] ?? []) as MetricQuery[];

test('the alarms cover failures, capacity, tokens, guesses, retained messages, and each table, dead-letter queue and stream reader', () => {
  const tables = tableNames.map((name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}Throttled`);
  const others = [
    ...['Failures', 'FanOutFailures', 'InboundEventsFailures', 'NoCapacity', 'NoTokens', 'ShareExpiryFailures'],
    ...['ShareCodesRefused', 'TelemetryFailures', 'OutboundEventsFailures', 'RetainedMessages'],
    ...['OnShareChangeLate', 'StatusFanOutLate', 'PublishPlatformEventsLate'],
  ];
  const named = Object.keys(alarms).filter((name) => !name.endsWith('Errors'));
  expect(named.sort()).toEqual([...others, ...tables].map((name) => `Observability/Alarms/${name}`).sort());
});

test.each(Object.keys(alarms))('%s fills missing data in sums of metrics', (path) => {
  const queries = queriesOf(path.replace('Observability/Alarms/', ''));
  const [sum] = queries.filter(({ Expression }) => Expression?.includes('+'));
  if (!sum) {
    expect(queries.filter(({ Expression }) => /[-+]/.test(Expression ?? ''))).toEqual([]);
    return;
  }
  const filled = [...(sum.Expression ?? '').matchAll(/FILL\((\w+), 0\)/g)].map(([, id]) => id);
  expect(sum.Expression?.replaceAll(/FILL\(\w+, 0\)/g, '')).toMatch(/^[ +]+$/);
  expect(filled.sort()).toEqual(
    queries
      .filter((query) => query !== sum)
      .map(({ Id }) => Id)
      .sort(),
  );
});

test.each([
  ['JobsThrottled', ['', 'by-status']],
  ['ConnectionsThrottled', ['', 'by-socket']],
  ['FleetThrottled', ['', 'online']],
  ['EventsThrottled', ['', 'by-channel']],
  ['SharesThrottled', ['']],
])('%s counts reads and writes of the table and of its indexes: %j', (name, paths) => {
  const counted = queriesOf(name).flatMap(({ MetricStat }) => {
    if (!MetricStat) return [];
    const { MetricName, Dimensions = [] } = MetricStat.Metric;
    const index = Dimensions.find((one) => one.Name === 'GlobalSecondaryIndexName');
    return [`${MetricName} ${(index?.Value ?? '') as string}`];
  });
  expect(counted).toEqual(paths.flatMap((path) => [`ReadThrottleEvents ${path}`, `WriteThrottleEvents ${path}`]));
});

/** Functions of endpoints have no alarm of their own: API Gateway counts their errors as replies with 500. */
const watched = Object.entries(ownFunctions(whole))
  .map(([path, lambda]) => [path.replace(/\/Function$/, ''), lambda] as const)
  .filter(([path]) => !path.startsWith('Endpoints/'));

test.each(watched)('%s has an alarm for its errors, including those that it caught and logged', (path, lambda) => {
  const [id] = Object.entries(whole.resources).find(([, found]) => found === lambda) ?? [];
  const last = path.split('/').at(-1) ?? '';
  const name = `${last.charAt(0).toUpperCase()}${last.slice(1)}Errors`;
  const metrics = queriesOf(name).flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []));
  expect(metrics).toEqual([
    { Namespace: 'DroneMissionApi', MetricName: name },
    { Namespace: 'AWS/Lambda', MetricName: 'Errors', Dimensions: [{ Name: 'FunctionName', Value: { Ref: id } }] },
  ]);
  const filters = filtersOn(whole, path).filter(({ metric }) => metric === name);
  expect(filters).toEqual([{ metric: name, pattern: '{ $.level = "ERROR" }', dimensions: [] }]);
});

test('each of these functions has its own alarm', () => {
  const names = Object.keys(alarms).filter((name) => name.endsWith('Errors'));
  expect(names).toHaveLength(watched.length);
});

test('the alarm on retained messages fires at 80 % of the account’s quota', () => {
  expect(alarmNamed('RetainedMessages')).toMatchObject({ Threshold: 80 });
  const [share, usage] = queriesOf('RetainedMessages');
  expect(share?.Expression).toBe('100 * retained / SERVICE_QUOTA(retained)');
  expect(usage?.MetricStat?.Metric).toMatchObject({ Namespace: 'AWS/Usage', MetricName: 'ResourceCount' });
});

test.each([
  ['FanOutFailures', 'Realtime/FanOut/Failures', 'Partners missed a change'],
  ['ShareExpiryFailures', 'ShareExpiry/Failures', 'Partners receive the end of an expired share hours late'],
])('%s fires at the first message in the dead-letter queue', (name, queue, impact) => {
  const alarm = whole.byPath('AWS::CloudWatch::Alarm')[`Observability/Alarms/${name}`]?.Properties;
  const [queueId] =
    Object.entries(whole.resources).find(([, found]) => found === whole.byPath('AWS::SQS::Queue')[queue]) ?? [];
  expect(alarm).toMatchObject({
    MetricName: 'ApproximateNumberOfMessagesVisible',
    Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [queueId, 'QueueName'] } }],
    Statistic: 'Maximum',
    Threshold: 1,
  });
  expect(alarm?.['AlarmDescription']).toContain(impact);
});

test.each([
  ['StatusFanOutLate', 'Realtime/FanOut/StatusFanOut', 'IteratorAge', 60_000],
  ['OnShareChangeLate', 'ShareExpiry/OnShareChange', 'IteratorAge', 60_000],
  ['PublishPlatformEventsLate', 'PlatformIntegration/OutboundEvents/PublishPlatformEvents', 'IteratorAge', 60_000],
])('%s measures the lag of %s', (name, path, metric, threshold) => {
  const lambda = whole.byPath('AWS::Lambda::Function')[`${path}/Function`];
  const [functionId] = Object.entries(whole.resources).find(([, found]) => found === lambda) ?? [];
  expect(whole.byPath('AWS::CloudWatch::Alarm')[`Observability/Alarms/${name}`]?.Properties).toMatchObject({
    Namespace: 'AWS/Lambda',
    MetricName: metric,
    Dimensions: [{ Name: 'FunctionName', Value: { Ref: functionId } }],
    Statistic: 'Maximum',
    Threshold: threshold,
  });
});

test('every stream reader has an alarm on its lag', () => {
  const readers = Object.entries(whole.byPath('AWS::Lambda::EventSourceMapping'))
    .filter(([, { Properties }]) => 'StartingPosition' in Properties)
    .map(([path]) => `Observability/Alarms/${path.split('/').at(-2) ?? ''}Late`);
  const late = Object.keys(whole.byPath('AWS::CloudWatch::Alarm')).filter((name) => name.endsWith('Late'));
  expect(late.sort()).toEqual([...new Set(readers)].sort());
});

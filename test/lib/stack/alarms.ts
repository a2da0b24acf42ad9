import { filtersOn } from '../observability/filter-pattern';
import { ownFunctions } from '../rights';
import { synthesise } from '../synthesised';

const whole = synthesise({ simulatedFleet: 'true' });

test.each(Object.entries(whole.byPath('AWS::CloudWatch::Alarm')))(
  'The alarm %s says what partners suffer',
  (_, alarm) => {
    expect(alarm.Properties['AlarmDescription']).toMatch(/partners|slow or (answers? 500|refused)|counts as online/i);
    expect(alarm.Properties).toMatchObject({
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    });
  },
);

const alarms = whole.byPath('AWS::CloudWatch::Alarm');
const alarmNamed = (name: string) => alarms[`Alarms/${name}`]?.Properties;

interface MetricQuery {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: {
    readonly Metric: { Namespace: string; MetricName: string; Dimensions?: { Name: string; Value: unknown }[] };
  };
}
const queriesOf = (name: string) => (alarmNamed(name)?.['Metrics'] ?? []) as MetricQuery[];

test('There are alarms for failures, capacity, tokens, guesses, retained messages, and each table, queue of failures and reader', () => {
  const tables = ['connections', 'fleet', 'jobs', 'partners', 'requests', 'shares'].map((name) => `${name}Throttled`);
  const others = [
    ...['Failures', 'FanOutFailures', 'InboundEventsFailures', 'NoCapacity', 'NoTokens', 'ShareExpiryFailures'],
    ...[
      'ShareCodesRefused',
      'TelemetryFailures',
      'OutboundEventsFailures',
      'SimulatedFleetFailures',
      'RetainedMessages',
    ],
    ...['OnShareChangeLate', 'StatusFanOutLate', 'PublishPlatformEventsLate'],
  ];
  const named = Object.keys(alarms).filter((name) => !name.endsWith('Errors'));
  expect(named.sort()).toEqual([...others, ...tables].map((name) => `Alarms/${name}`).sort());
});

test.each(Object.keys(alarms))('%s adds up no metric that has no data when nothing happens', (path) => {
  const queries = queriesOf(path.replace('Alarms/', ''));
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
  ['jobsThrottled', ['', 'by-status']],
  ['connectionsThrottled', ['', 'by-connection']],
  ['fleetThrottled', ['', 'online']],
  ['sharesThrottled', ['']],
])('%s sees reads and writes of the table and of its indexes: %j', (name, places) => {
  const seen = queriesOf(name).flatMap(({ MetricStat }) => {
    if (!MetricStat) return [];
    const { MetricName, Dimensions = [] } = MetricStat.Metric;
    const index = Dimensions.find((one) => one.Name === 'GlobalSecondaryIndexName');
    return [`${MetricName} ${(index?.Value ?? '') as string}`];
  });
  expect(seen).toEqual(places.flatMap((place) => [`ReadThrottleEvents ${place}`, `WriteThrottleEvents ${place}`]));
});

/** Functions that answer 500 themselves are counted where partners get it, by API Gateway. */
const watched = Object.entries(ownFunctions(whole))
  .map(([path, lambda]) => [path.replace(/\/Function$/, ''), lambda] as const)
  .filter(([place]) => !place.startsWith('Endpoints/'));

test.each(watched)('%s has an alarm for its errors, those that it has caught and logged too', (place, lambda) => {
  const [id] = Object.entries(whole.resources).find(([, found]) => found === lambda) ?? [];
  const last = place.split('/').at(-1) ?? '';
  const name = `${last.charAt(0).toUpperCase()}${last.slice(1)}Errors`;
  const metrics = queriesOf(name).flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []));
  expect(metrics).toEqual([
    { Namespace: 'DroneMissionApi', MetricName: name },
    { Namespace: 'AWS/Lambda', MetricName: 'Errors', Dimensions: [{ Name: 'FunctionName', Value: { Ref: id } }] },
  ]);
  const filters = filtersOn(whole, place).filter(({ metric }) => metric === name);
  expect(filters).toEqual([{ metric: name, pattern: '{ $.level = "ERROR" }', dimensions: [] }]);
});

test('Each function has an alarm of its own, so that errors of one hide none of another', () => {
  const names = Object.keys(alarms).filter((name) => name.endsWith('Errors'));
  expect(names).toHaveLength(watched.length);
});

test('The alarm on retained messages fires at 80 % of what the account may retain', () => {
  expect(alarmNamed('RetainedMessages')).toMatchObject({ Threshold: 80 });
  const [share, usage] = queriesOf('RetainedMessages');
  expect(share?.Expression).toBe('100 * retained / SERVICE_QUOTA(retained)');
  expect(usage?.MetricStat?.Metric).toMatchObject({ Namespace: 'AWS/Usage', MetricName: 'ResourceCount' });
});

test.each([
  ['FanOutFailures', 'StatusChannels/FanOut/Failures', 'Partners missed a change'],
  ['ShareExpiryFailures', 'StatusChannels/ShareExpiry/Failures', 'Partners hear hours late that a share has expired'],
])('%s fires at the first failure', (name, queue, impact) => {
  const alarm = whole.byPath('AWS::CloudWatch::Alarm')[`Alarms/${name}`]?.Properties;
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
  ['StatusFanOutLate', 'StatusChannels/FanOut/StatusFanOut', 'IteratorAge', 60_000],
  ['OnShareChangeLate', 'StatusChannels/ShareExpiry/OnShareChange', 'IteratorAge', 60_000],
  ['PublishPlatformEventsLate', 'PlatformIntegration/OutboundEvents/PublishPlatformEvents', 'IteratorAge', 60_000],
])('%s looks at %s', (name, place, metric, threshold) => {
  const lambda = whole.byPath('AWS::Lambda::Function')[`${place}/Function`];
  const [functionId] = Object.entries(whole.resources).find(([, found]) => found === lambda) ?? [];
  expect(whole.byPath('AWS::CloudWatch::Alarm')[`Alarms/${name}`]?.Properties).toMatchObject({
    Namespace: 'AWS/Lambda',
    MetricName: metric,
    Dimensions: [{ Name: 'FunctionName', Value: { Ref: functionId } }],
    Statistic: 'Maximum',
    Threshold: threshold,
  });
});

test('Every function that reads a stream of a table has an alarm for being late', () => {
  const readers = Object.entries(whole.byPath('AWS::Lambda::EventSourceMapping'))
    .filter(([, { Properties }]) => 'StartingPosition' in Properties)
    .map(([place]) => `Alarms/${place.split('/').at(-2) ?? ''}Late`);
  const late = Object.keys(whole.byPath('AWS::CloudWatch::Alarm')).filter((name) => name.endsWith('Late'));
  expect(late.sort()).toEqual([...new Set(readers)].sort());
});

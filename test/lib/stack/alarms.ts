import type { Capability } from '../../../contract/terms/metrics';
import { webSocketActions } from '../../../contract/websocket-actions';
import { actionPath, environmentOf, ownFunctions } from '../permissions';
import { referred, smallTable, synthesise, type CfnResource, type Synthesised } from '../synthesised';

interface AlarmMetric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface PublishedMetric {
  readonly namespace: string;
  readonly name: string;
  /** Sorted; a metric with other dimensions is another metric, which may have no data. */
  readonly dimensions: readonly string[];
  /** The page of AWS that lists it. */
  readonly page: string;
  /** Whether it gets data in a deployment of the stack. */
  readonly occurs: (metric: AlarmMetric, stack: Synthesised) => boolean;
}

const apiGateway = 'API Gateway developer guide, "Amazon API Gateway dimensions and metrics"';
const webSocket = 'API Gateway developer guide, "Monitor WebSocket API execution with CloudWatch metrics"';
const lambda = 'Lambda developer guide, "Types of metrics for Lambda functions"';
const sqs = 'SQS developer guide, "Available CloudWatch metrics for Amazon SQS"';
const logLine = 'CloudWatch user guide, "Specification: Embedded metric format"';

/** Metrics that alarms may read: in the words of AWS's pages, and with what each needs in the template. */
const publishedMetrics: readonly PublishedMetric[] = [
  published('AWS/ApiGateway', '5XXError', ['ApiName', 'Stage'], apiGateway, isRestStage),
  // Only for methods whose detailed metrics are enabled.
  published(
    'AWS/ApiGateway',
    '5XXError',
    ['ApiName', 'Method', 'Resource', 'Stage'],
    apiGateway,
    (metric, stack) => isRestStage(metric, stack) && hasMethodMetrics(metric, stack),
  ),
  published('AWS/ApiGateway', 'ExecutionError', ['ApiId', 'Stage'], webSocket, (metric, stack) =>
    isOfType(valueOf(metric, 'ApiId'), 'AWS::ApiGatewayV2::Api', stack),
  ),
  published('AWS/Lambda', 'Errors', ['FunctionName'], lambda, isFunction),
  published('AWS/Lambda', 'Throttles', [], lambda, () => true),
  published('AWS/Lambda', 'IteratorAge', ['FunctionName'], lambda, (metric, stack) =>
    ofType('AWS::Lambda::EventSourceMapping', stack).some(
      (mapping) => 'StartingPosition' in mapping && referred(mapping['FunctionName']) === functionOf(metric),
    ),
  ),
  // Only for functions that are invoked asynchronously.
  published('AWS/Lambda', 'AsyncEventAge', ['FunctionName'], lambda, (metric, stack) =>
    ofType('AWS::Events::Rule', stack)
      .flatMap((rule) => (rule['Targets'] ?? []) as { Arn: unknown }[])
      .some(({ Arn }) => referred(Arn) === functionOf(metric)),
  ),
  published('AWS/SQS', 'ApproximateNumberOfMessagesVisible', ['QueueName'], sqs, (metric, stack) =>
    isOfType(valueOf(metric, 'QueueName'), 'AWS::SQS::Queue', stack),
  ),
  published('DroneMissionApi', 'Errors', ['capability'], logLine, isCountedBy('capability', 'CAPABILITY')),
  published('DroneMissionApi', 'Throttles', ['capability'], logLine, isCountedBy('capability', 'CAPABILITY')),
  published('DroneMissionApi', 'Refusals', ['reason'], logLine, isCountedBy('reason', 'COUNTED_REASON')),
];

function published(
  namespace: string,
  name: string,
  dimensions: readonly string[],
  page: string,
  occurs: PublishedMetric['occurs'],
): PublishedMetric {
  return { namespace, name, dimensions, page, occurs };
}

const valueOf = ({ Dimensions = [] }: AlarmMetric, name: string): unknown =>
  Dimensions.find(({ Name }) => Name === name)?.Value;

const functionOf = (metric: AlarmMetric): string => referred(valueOf(metric, 'FunctionName'));

const ofType = (type: string, { resources }: Synthesised) =>
  Object.values(resources).flatMap(({ Type, Properties }) => (Type === type ? [Properties] : []));

const isOfType = (value: unknown, type: string, { resources }: Synthesised): boolean =>
  resources[referred(value)]?.Type === type;

function isFunction(metric: AlarmMetric, stack: Synthesised): boolean {
  return isOfType(valueOf(metric, 'FunctionName'), 'AWS::Lambda::Function', stack);
}

function isRestStage(metric: AlarmMetric, stack: Synthesised): boolean {
  const names = ofType('AWS::ApiGateway::RestApi', stack).map(({ Name }) => JSON.stringify(Name));
  return (
    names.includes(JSON.stringify(valueOf(metric, 'ApiName'))) &&
    isOfType(valueOf(metric, 'Stage'), 'AWS::ApiGateway::Stage', stack)
  );
}

/** CloudFormation writes `/` in a path of a stage's method settings as `~1`. */
function hasMethodMetrics(metric: AlarmMetric, stack: Synthesised): boolean {
  const path = `/${String(valueOf(metric, 'Resource')).replaceAll('/', '~1')}`;
  return ofType('AWS::ApiGateway::Stage', stack)
    .flatMap((stage) => (stage['MethodSettings'] ?? []) as Record<string, unknown>[])
    .some(
      ({ HttpMethod, ResourcePath, MetricsEnabled }) =>
        HttpMethod === valueOf(metric, 'Method') && ResourcePath === path && MetricsEnabled === true,
    );
}

/** Whether a function has the variables with which its lines carry the metric (`test/lambdas/runtime/logger.test.ts`). */
function isCountedBy(dimension: string, variable: string): PublishedMetric['occurs'] {
  return (metric, stack) =>
    Object.values(ownFunctions(stack)).some((one) => {
      const environment = environmentOf(one);
      return (
        environment[variable] === valueOf(metric, dimension) && environment['METRIC_NAMESPACE'] === metric.Namespace
      );
    });
}

const whole = synthesise({ simulatedFleet: 'true' });
const { byPath, resources } = whole;

const topics = {
  pageTopicArn: 'arn:aws:sns:eu-west-1:123456789012:pages',
  ticketTopicArn: 'arn:aws:sns:eu-west-1:123456789012:tickets',
};
const withTopics = synthesise({ ...topics, platformTargetArn: 'arn:aws:sqs:eu-west-1:210987654321:heard' });

const alarms = Object.entries(byPath('AWS::CloudWatch::Alarm')).map(
  ([path, { Properties }]) => [path.replace('Observability/Alarms/', ''), Properties] as const,
);
const alarmNamed = (name: string) => Object.fromEntries(alarms)[name];

interface MetricQuery {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: { readonly Metric: AlarmMetric; readonly Stat: string };
}

const queriesOf = (alarm: CfnResource['Properties']) => (alarm['Metrics'] ?? []) as MetricQuery[];

/** Metrics that an alarm reads, with their statistics. */
function metricsOf(alarm: CfnResource['Properties']): (AlarmMetric & { readonly Statistic: string })[] {
  const queries = queriesOf(alarm);
  if (queries.length === 0) return [alarm as unknown as AlarmMetric & { Statistic: string }];
  return queries.flatMap(({ MetricStat }) =>
    MetricStat ? [{ ...MetricStat.Metric, Statistic: MetricStat.Stat }] : [],
  );
}

/** Path of the construct that a dimension refers to, or the text. */
const named = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : (resources[referred(value)]?.Metadata?.['aws:cdk:path'] ?? '?').split('/').slice(1, -1).join('/');

/** A metric as `Errors of Realtime/Heartbeat/Heartbeat`. */
const shown = ({ MetricName, Dimensions = [] }: AlarmMetric) =>
  [MetricName, ...Dimensions.map(({ Value }) => named(Value).replace(/\/Function$/, ''))].join(' of ');

const connect = 'Realtime/WebSocket/Connect';
const sendSnapshot = 'Realtime/Snapshots/SendSnapshot';

test.each<[string, number, string[]]>([
  ['Failures', 5, ['5XXError']],
  ['NoTokens', 3, ['5XXError']],
  ['NoCapacity', 1, ['Throttles']],
  ['ShareCodesRefused', 100, ['Refusals of share_not_found']],
  ['SocketsErrors', 5, ['Errors of sockets', `Errors of ${connect}`, `Errors of ${sendSnapshot}`, 'ExecutionError']],
  ['SocketsThrottled', 5, ['Throttles of sockets']],
  [
    'MqttErrors',
    5,
    ['Errors of mqtt', 'Errors of Realtime/Mqtt/AuthorizeConnection', 'Errors of Realtime/Mqtt/CountSubscriptions'],
  ],
  ['StatusErrors', 5, ['Errors of status']],
  ['HeartbeatErrors', 1, ['Errors of Realtime/Heartbeat/Heartbeat']],
  ['ReconcileErrors', 3, ['Errors of Realtime/Reconcile/Reconcile']],
  ['StatusFanOutLate', 60_000, ['IteratorAge of Realtime/FanOut/StatusFanOut']],
  ['OnShareChangeLate', 60_000, ['IteratorAge of ShareExpiry/OnShareChange']],
  ['PublishPlatformEventsLate', 60_000, ['IteratorAge of PlatformIntegration/OutboundEvents/PublishPlatformEvents']],
  ['ConsumePlatformEventsLate', 60_000, ['AsyncEventAge of PlatformIntegration/InboundEvents/ConsumePlatformEvents']],
  ['FanOutFailures', 1, ['ApproximateNumberOfMessagesVisible of Realtime/FanOut/Failures']],
  ['ShareExpiryFailures', 1, ['ApproximateNumberOfMessagesVisible of ShareExpiry/Failures']],
  ['TelemetryFailures', 1, ['ApproximateNumberOfMessagesVisible of Realtime/Telemetry/Failures']],
  ['OutboundEventsFailures', 1, ['ApproximateNumberOfMessagesVisible of PlatformIntegration/OutboundEvents/Failures']],
  ['InboundEventsFailures', 1, ['ApproximateNumberOfMessagesVisible of PlatformIntegration/InboundEvents/Failures']],
])('%s fires from %d on, of: %j', (name, threshold, metrics) => {
  const alarm = alarmNamed(name);
  expect(alarm).toMatchObject({ Threshold: threshold });
  const read = alarm ? metricsOf(alarm) : [];
  const ofApis = /^(5XXError|ExecutionError)/;
  expect(read.map(shown).map((metric) => ofApis.exec(metric)?.[0] ?? metric)).toEqual(metrics);
  for (const { MetricName, Statistic } of read)
    expect(Statistic).toBe(/Age$|Visible$/.test(MetricName) ? 'Maximum' : 'Sum');
});

test.each([
  [
    'pages',
    topics.pageTopicArn,
    [
      'ConsumePlatformEventsLate',
      'Failures',
      'ForwardingFailures',
      'InboundEventsFailures',
      'MqttErrors',
      'NoCapacity',
      'NoTokens',
      'OutboundEventsFailures',
      'PublishPlatformEventsLate',
      'SocketsErrors',
      'SocketsThrottled',
      'StatusErrors',
      'StatusFanOutLate',
    ],
  ],
  [
    'tickets',
    topics.ticketTopicArn,
    [
      'FanOutFailures',
      'HeartbeatErrors',
      'OnShareChangeLate',
      'ReconcileErrors',
      'ShareCodesRefused',
      'ShareExpiryFailures',
      'TelemetryFailures',
    ],
  ],
])('the topic of %s is notified when these alarms begin and end', (_, topic, names) => {
  const notifying = Object.entries(withTopics.byPath('AWS::CloudWatch::Alarm')).filter(([, { Properties }]) =>
    [Properties['AlarmActions'], Properties['OKActions']].every((actions) => String(actions) === topic),
  );
  expect(notifying.map(([path]) => path.replace('Observability/Alarms/', '')).sort()).toEqual(names);
});

test.each(alarms)('%s evaluates one period, or two of three for throttles and asynchronous retries', (_, alarm) => {
  const isOfBursts = metricsOf(alarm).some(({ MetricName }) => ['Throttles', 'AsyncEventAge'].includes(MetricName));
  const { EvaluationPeriods, DatapointsToAlarm } = alarm;
  expect([EvaluationPeriods, DatapointsToAlarm]).toEqual(isOfBursts ? [3, 2] : [1, undefined]);
});

test('there are 19 alarms on 24 metrics, no metric filters, and one dashboard', () => {
  expect(alarms).toHaveLength(19);
  expect(alarms.flatMap(([, alarm]) => metricsOf(alarm))).toHaveLength(24);
  expect(byPath('AWS::Logs::MetricFilter')).toEqual({});
  expect(Object.keys(byPath('AWS::CloudWatch::Dashboard'))).toHaveLength(1);
});

test('an endpoint has no alarm of its own', () => {
  const few = Object.keys(synthesise({}, smallTable).byPath('AWS::CloudWatch::Alarm'));
  const ofTokens = 'Observability/Alarms/NoTokens';
  expect([...few, ofTokens].sort()).toEqual(Object.keys(byPath('AWS::CloudWatch::Alarm')).sort());
});

describe.each(alarms)('%s', (_, alarm) => {
  test('says what partners suffer', () => {
    expect(alarm['AlarmDescription']).toMatch(/partners.*\. docs\/runbooks\/[a-z-]+\.md$/i);
    expect(alarm).toMatchObject({
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    });
  });

  test('fills missing data in a sum of metrics', () => {
    const expressions = queriesOf(alarm).flatMap(({ Expression }) => Expression ?? []);
    const ids = queriesOf(alarm).flatMap(({ Id, MetricStat }) => (MetricStat ? [Id] : []));
    expect(expressions).toEqual(ids.length > 0 ? [ids.map((id) => `FILL(${id}, 0)`).join(' + ')] : []);
  });

  test('reads only metrics that AWS, or a log line, publishes with these dimensions', () => {
    for (const metric of metricsOf(alarm)) {
      const dimensions = (metric.Dimensions ?? []).map(({ Name }) => Name).sort();
      const published = publishedMetrics.find(
        (one) =>
          one.namespace === metric.Namespace &&
          one.name === metric.MetricName &&
          one.dimensions.join() === dimensions.join(),
      );
      expect([metric.Namespace, metric.MetricName, dimensions, published?.page]).not.toContain(undefined);
      expect([metric.MetricName, published?.occurs(metric, whole)]).toEqual([metric.MetricName, true]);
    }
  });
});

test.each<[Capability, string[]]>([
  [
    'sockets',
    [connect, sendSnapshot, ...new Set(Object.values(webSocketActions).map(({ handler }) => actionPath(handler)))],
  ],
  ['mqtt', ['Realtime/Mqtt/AuthorizeConnection', 'Realtime/Broadcast/AuthorizeViewer']],
  ['status', ['Realtime/FanOut/StatusFanOut', 'Realtime/ViewerCounts/CountViewers']],
])('the errors of %s are counted in the lines of %j', (capability, paths) => {
  const counting = Object.entries(ownFunctions(whole)).filter(
    ([, lambda]) => environmentOf(lambda)['CAPABILITY'] === capability,
  );
  expect(counting.map(([path]) => path.replace(/\/Function$/, '')).sort()).toEqual(paths.sort());
});

test('every stream reader has an alarm on its lag, and every scheduled function on runs that fail', () => {
  const readers = Object.entries(byPath('AWS::Lambda::EventSourceMapping'))
    .filter(([, { Properties }]) => 'StartingPosition' in Properties)
    .map(([path]) => `${path.split('/').at(-2) ?? ''}Late`);
  const scheduled = Object.values(byPath('AWS::Scheduler::Schedule'))
    .map(({ Properties }) => named((Properties['Target'] as { Arn: unknown }).Arn))
    .filter((path) => !path.startsWith('SimulatedFleet/'))
    .map((path) => `${path.split('/').at(-2) ?? ''}Errors`);
  expect(readers.length * scheduled.length).toBeGreaterThan(0);
  expect(alarms.map(([name]) => name)).toEqual(expect.arrayContaining([...readers, ...scheduled]));
});

test('every dead-letter queue has an alarm', () => {
  const targets = [
    ...Object.values(byPath('AWS::SQS::Queue')).map(({ Properties }) => Properties['RedrivePolicy']),
    ...Object.values(byPath('AWS::Lambda::EventSourceMapping')).map(
      ({ Properties }) => (Properties['DestinationConfig'] as { OnFailure?: unknown } | undefined)?.OnFailure,
    ),
  ].flatMap((policy) => {
    const { deadLetterTargetArn, Destination } = (policy ?? {}) as Record<string, unknown>;
    return deadLetterTargetArn ?? Destination ?? [];
  });
  const watched = alarms.flatMap(([, alarm]) => metricsOf(alarm)).map(shown);
  expect(targets.length).toBeGreaterThan(5);
  for (const target of targets) expect(watched).toContain(`ApproximateNumberOfMessagesVisible of ${named(target)}`);
});

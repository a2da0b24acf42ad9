import { alarmOf } from '../../cloudwatch/alarm';

const errors = { Namespace: 'AWS/Lambda', MetricName: 'Errors', Dimensions: [{ Name: 'FunctionName', Value: 'one' }] };
const onErrors = {
  AlarmDescription: 'Something fails.',
  AlarmActions: ['arn:aws:sns:eu-central-1:000000000000:pages'],
  ...errors,
  Statistic: 'Sum',
  Period: 300,
  ComparisonOperator: 'GreaterThanOrEqualToThreshold',
  Threshold: 5,
  EvaluationPeriods: 1,
  TreatMissingData: 'notBreaching',
};
const metric = (Id: string, MetricName = 'Errors', Period = 300) => ({
  Id,
  MetricStat: { Metric: { ...errors, MetricName }, Period, Stat: 'Sum' },
  ReturnData: false,
});
const sum = (Expression: string, ...Metrics: object[]) => {
  const { Namespace: _n, MetricName: _m, Dimensions: _d, Statistic: _s, Period: _p, ...others } = onErrors;
  return { ...others, Metrics: [{ Id: 'sum', Expression, ReturnData: true }, ...Metrics] };
};
const alarm = (properties: object) =>
  alarmOf({ logicalId: 'Alarm', type: 'AWS::CloudWatch::Alarm', properties: { ...properties }, metadata: {} });

test('an alarm on one metric has its statistic, and needs all periods unless it says how many', () => {
  expect(alarm(onErrors)).toEqual({
    name: 'Alarm',
    description: 'Something fails.',
    terms: [
      {
        metric: { namespace: 'AWS/Lambda', name: 'Errors', dimensions: { FunctionName: 'one' } },
        statistic: 'Sum',
        fill: undefined,
      },
    ],
    operator: 'GreaterThanOrEqualToThreshold',
    threshold: 5,
    periodMinutes: 5,
    evaluationPeriods: 1,
    datapointsToAlarm: 1,
    actions: { ALARM: onErrors.AlarmActions, OK: [], INSUFFICIENT_DATA: [] },
  });
});

test('an alarm on a sum has a term for each metric', () => {
  const { terms } = alarm(sum('FILL(a, 0) + FILL(b, 1.5)', metric('a'), metric('b', 'Throttles')));
  expect(terms.map(({ metric: { name }, fill }) => [name, fill])).toEqual([
    ['Errors', 0],
    ['Throttles', 1.5],
  ]);
});

test('a metric of an own namespace may come from log lines', () => {
  expect(alarm({ ...onErrors, Namespace: 'Own' }).terms[0]?.metric.namespace).toBe('Own');
});

test.each([
  [
    'a metric that nothing publishes',
    { ...onErrors, Namespace: 'AWS/EC2', MetricName: 'CPUUtilization' },
    'nothing on this machine publishes CPUUtilization of AWS/EC2 by FunctionName',
  ],
  [
    'dimensions by which nothing publishes it',
    { ...onErrors, Dimensions: [{ Name: 'Resource', Value: 'one:1' }] },
    'nothing on this machine publishes Errors of AWS/Lambda by Resource',
  ],
  ['other metric math', sum('SUM(METRICS())', metric('a')), '"SUM(METRICS())" of the expression'],
  ['a sum without FILL', sum('FILL(a, 0) + a', metric('a')), '"a" of the expression "FILL(a, 0) + a" is not FILL'],
  ['an expression of what is no metric', sum('FILL(b, 0)', metric('a')), 'the expression names b, which is no metric'],
  ['several periods', sum('FILL(a, 0) + FILL(b, 0)', metric('a'), metric('b', 'Errors', 60)), 'several periods'],
  [
    'another treatment of missing data',
    { ...onErrors, TreatMissingData: 'breaching' },
    'only be treated as notBreaching',
  ],
  ['anomaly detection', { ...onErrors, ThresholdMetricId: 'band' }, 'ThresholdMetricId'],
  ['percentiles', { ...onErrors, Statistic: undefined, ExtendedStatistic: 'p99' }, 'ExtendedStatistic'],
  ['seconds', { ...onErrors, Period: 10 }, 'a period is a number of minutes'],
  ['no statistic', { ...onErrors, Statistic: undefined }, 'it needs Namespace, MetricName, Statistic and Period'],
])('an alarm with %s is refused by name', (_, properties, message) => {
  expect(() => alarm(properties)).toThrow(message);
  expect(() => alarm(properties)).toThrow('AWS::CloudWatch::Alarm Alarm');
});

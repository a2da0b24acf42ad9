import { CloudWatchClient, DescribeAlarmHistoryCommand, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { alarmOf, evaluate, type Alarm } from '../../cloudwatch/alarm';
import { createMetrics, type MetricName } from '../../cloudwatch/metrics';
import { createAwsEndpoint } from '../../aws-endpoint';
import { createCloudWatch } from '../../cloudwatch';

describe('An alarm in a template', () => {
  const errors = {
    Namespace: 'AWS/Lambda',
    MetricName: 'Errors',
    Dimensions: [{ Name: 'FunctionName', Value: 'one' }],
  };
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
    [
      'an expression of what is no metric',
      sum('FILL(b, 0)', metric('a')),
      'the expression names b, which is no metric',
    ],
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
});

describe('The state of an alarm', () => {
  const none = undefined;
  const metricOf = (name: string) => ({ namespace: 'Own', name, dimensions: {} });
  const alarmWith = (fields: Partial<Alarm>): Alarm => ({
    name: 'Alarm',
    description: '',
    terms: [{ metric: metricOf('a'), statistic: 'Sum', fill: undefined }],
    operator: 'GreaterThanOrEqualToThreshold',
    threshold: 5,
    periodMinutes: 1,
    evaluationPeriods: 1,
    datapointsToAlarm: 1,
    actions: { ALARM: [], OK: [], INSUFFICIENT_DATA: [] },
    ...fields,
  });

  /** State after minutes with these values of each metric, the last one at the end. */
  function stateAfter(alarm: Alarm, minutes: readonly Readonly<Record<string, number | undefined>>[]) {
    const metrics = createMetrics();
    const series = alarm.terms.map(({ metric }) => metrics.keep(metric, alarm.periodMinutes * alarm.evaluationPeriods));
    for (const values of minutes) {
      for (const [name, value] of Object.entries(values)) if (value !== undefined) metrics.put('Own', name, value);
      metrics.endMinute();
    }
    return evaluate(alarm, series).state;
  }

  const twoOfThree = { evaluationPeriods: 3, datapointsToAlarm: 2 };
  const sum = {
    terms: ['a', 'b'].map((name) => ({ metric: metricOf(name), statistic: 'Sum' as const, fill: 0 })),
  };

  test.each<[string, Partial<Alarm>, (number | undefined)[], string]>([
    ['reaches the threshold', {}, [5], 'ALARM'],
    ['stays below it', {}, [4.9], 'OK'],
    ['has no data, which is within the threshold', {}, [none], 'OK'],
    ['is over', {}, [9, 0], 'OK'],
    ['is low where low is bad', { operator: 'LessThanThreshold' }, [4], 'ALARM'],
    ['must be exceeded', { operator: 'GreaterThanThreshold' }, [5], 'OK'],
    ['adds up in a period of several minutes', { periodMinutes: 3 }, [2, 2, 1], 'ALARM'],
    ['has left the window, which slides', { periodMinutes: 3 }, [5, 0, 0, 0], 'OK'],
    ['breaches in one of three periods', twoOfThree, [9, 0, 0], 'OK'],
    ['breaches in two of three periods, with a gap', twoOfThree, [9, none, 9], 'ALARM'],
    ['breached in a period that is no longer looked at', twoOfThree, [9, 0, 0, 9], 'OK'],
  ])('an alarm whose metric %s', (_, fields, values, state) => {
    expect(
      stateAfter(
        alarmWith(fields),
        values.map((a) => ({ a })),
      ),
    ).toBe(state);
  });

  test.each<[string, { a?: number; b?: number }, string]>([
    ['both have data', { a: 2, b: 3 }, 'ALARM'],
    ['one has none and is filled', { b: 5 }, 'ALARM'],
    ['neither has data', {}, 'OK'],
  ])('a sum when %s', (_, values, state) => {
    expect(stateAfter(alarmWith(sum), [values])).toBe(state);
  });

  test('a sum without FILL has no data where one of its metrics has none', () => {
    const [first, second] = sum.terms;
    const terms = first && second ? [first, { ...second, fill: undefined }] : [];
    expect(stateAfter(alarmWith({ terms }), [{ a: 9 }])).toBe('OK');
  });

  test('the reason is in CloudWatch’s words', () => {
    const metrics = createMetrics();
    const series = [metrics.keep(metricOf('a'), 3)];
    metrics.put('Own', 'a', 7);
    metrics.endMinute();
    expect(evaluate(alarmWith(twoOfThree), series).reason).toBe(
      'Threshold Not Crossed: 1 of the last 3 datapoints [7, none, none] were greater than or equal to the threshold (5).',
    );
  });
});

describe('Metrics', () => {
  const errors: MetricName = { namespace: 'AWS/Lambda', name: 'Errors', dimensions: { FunctionName: 'one' } };
  const put = (metrics: ReturnType<typeof createMetrics>, value: number, dimensions = errors.dimensions) =>
    metrics.put('AWS/Lambda', 'Errors', value, dimensions);

  test('a metric has the statistics of the minutes that have ended', () => {
    const metrics = createMetrics();
    const series = metrics.keep(errors, 3);
    put(metrics, 4);
    put(metrics, 1);
    expect(series.over(1, 0)).toBeUndefined();
    metrics.endMinute();
    expect(series.over(1, 0)).toEqual({ count: 2, sum: 5, minimum: 1, maximum: 4 });
    metrics.endMinute();
    put(metrics, 9);
    metrics.endMinute();
    expect(series.over(1, 0)).toEqual({ count: 1, sum: 9, minimum: 9, maximum: 9 });
    expect(series.over(1, 1)).toBeUndefined();
    expect(series.over(3, 0)).toEqual({ count: 3, sum: 14, minimum: 1, maximum: 9 });
    metrics.endMinute();
    expect(series.over(3, 0)?.sum).toBe(9);
  });

  test('other dimensions are another metric, in whatever order they are', () => {
    const metrics = createMetrics();
    const series = metrics.keep({ ...errors, dimensions: { a: '1', b: '2' } }, 1);
    put(metrics, 1, { b: '2', a: '1' });
    put(metrics, 1, { a: '1' });
    put(metrics, 1);
    metrics.endMinute();
    expect(series.over(1, 0)?.count).toBe(1);
  });

  test('what is measured is published at the end of each minute', () => {
    const metrics = createMetrics();
    const series = metrics.keep(errors, 1);
    let length = 0;
    metrics.measure(() => put(metrics, ++length));
    metrics.endMinute();
    metrics.endMinute();
    expect(series.over(1, 0)?.sum).toBe(2);
  });
});

const region = 'eu-central-1';
const MINUTE_MS = 20;
const pages = 'arn:aws:sns:eu-central-1:000000000000:pages';
const properties = {
  AlarmDescription: 'Too many.',
  AlarmActions: [pages],
  OKActions: [pages],
  Namespace: 'Own',
  MetricName: 'Failures',
  Statistic: 'Sum',
  Period: 60,
  ComparisonOperator: 'GreaterThanOrEqualToThreshold',
  Threshold: 2,
  EvaluationPeriods: 1,
  TreatMissingData: 'notBreaching',
};

/** Polls until the condition holds, within the test's timeout. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** CloudWatch behind an endpoint, whose minutes last milliseconds. */
async function startCloudWatch(logicalIds: readonly string[]) {
  const lines: string[] = [];
  const metrics = createMetrics();
  const service = createCloudWatch({
    region,
    accountId: '000000000000',
    metrics,
    alarmPeriodMs: 5 * MINUTE_MS,
    log: (line) => lines.push(line),
  });
  const endpoint = createAwsEndpoint();
  endpoint.add(service);
  await endpoint.start();
  for (const logicalId of logicalIds)
    await service.create({ logicalId, type: 'AWS::CloudWatch::Alarm', properties, metadata: {} });
  await service.start?.();
  const client = new CloudWatchClient({ endpoint: endpoint.url, region, credentials: endpoint.admin, maxAttempts: 1 });
  const stateOf = async (AlarmNamePrefix: string) => {
    const { MetricAlarms = [] } = await client.send(new DescribeAlarmsCommand({ AlarmNamePrefix }));
    return MetricAlarms[0]?.StateValue;
  };
  return {
    lines,
    metrics,
    client,
    endpoint,
    becomes: (name: string, state: string) => until(async () => (await stateOf(name)) === state),
    async stop() {
      client.destroy();
      await service.stop?.();
      await endpoint.stop();
    },
  };
}

let started: Awaited<ReturnType<typeof startCloudWatch>> | undefined;
afterEach(() => started?.stop());

test('an alarm begins without data, fires, and ends, which the SDK and the log show', async () => {
  const { lines, metrics, client, becomes } = (started = await startCloudWatch(['First']));
  await becomes('First', 'OK');
  metrics.put('Own', 'Failures', 2);
  await until(async () => (await historyOf(client)).length === 3);
  const history = await historyOf(client);
  expect(history.map(({ HistorySummary }) => HistorySummary)).toEqual([
    'Alarm updated from ALARM to OK',
    'Alarm updated from OK to ALARM',
    'Alarm updated from INSUFFICIENT_DATA to OK',
  ]);
  expect(history[0]?.Timestamp).toBeInstanceOf(Date);
  expect(lines).toEqual([
    `CloudWatch: alarm First is ALARM, notifies ${pages}. Threshold Crossed: 1 of the last 1 datapoints [2] were greater than or equal to the threshold (2).`,
    `CloudWatch: alarm First is OK, notifies ${pages}. Threshold Not Crossed: 0 of the last 1 datapoints [none] were greater than or equal to the threshold (2).`,
  ]);
});

const historyOf = async (client: CloudWatchClient) =>
  (await client.send(new DescribeAlarmHistoryCommand({ AlarmName: 'First' }))).AlarmHistoryItems ?? [];

test('alarms are described, by prefix and state', async () => {
  const { client, becomes } = (started = await startCloudWatch(['First', 'Second']));
  await becomes('Second', 'OK');
  const { MetricAlarms = [] } = await client.send(new DescribeAlarmsCommand({ AlarmNames: ['First'] }));
  expect(MetricAlarms).toMatchObject([
    {
      AlarmName: 'First',
      AlarmArn: 'arn:aws:cloudwatch:eu-central-1:000000000000:alarm:First',
      AlarmDescription: 'Too many.',
      AlarmActions: [pages],
      OKActions: [pages],
      StateValue: 'OK',
      Threshold: 2,
    },
  ]);
  expect(MetricAlarms[0]?.StateUpdatedTimestamp).toBeInstanceOf(Date);
  const ringing = await client.send(new DescribeAlarmsCommand({ StateValue: 'ALARM' }));
  expect(ringing.MetricAlarms).toEqual([]);
});

test('the JSON protocol is answered, too, and an unknown operation is refused', async () => {
  const { endpoint } = (started = await startCloudWatch(['First']));
  const call = async (operation: string) => {
    const answer = await fetch(endpoint.url, {
      method: 'POST',
      headers: {
        authorization: `AWS4-HMAC-SHA256 Credential=${endpoint.admin.accessKeyId}/20260101/${region}/monitoring/aws4_request`,
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `GraniteServiceVersion20100801.${operation}`,
      },
      body: '{}',
    });
    return { status: answer.status, body: await answer.json() };
  };
  expect(await call('DescribeAlarms')).toMatchObject({
    status: 200,
    body: { MetricAlarms: [{ AlarmName: 'First', StateUpdatedTimestamp: expect.any(Number) as number }] },
  });
  expect(await call('PutMetricData')).toMatchObject({
    status: 400,
    body: { message: 'PutMetricData is not supported on this machine' },
  });
});

test('without an alarm no timer runs', async () => {
  const timers = jest.spyOn(globalThis, 'setInterval');
  started = await startCloudWatch([]);
  expect(timers).not.toHaveBeenCalled();
  timers.mockRestore();
});

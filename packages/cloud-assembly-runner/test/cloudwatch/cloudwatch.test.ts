import { CloudWatchClient, DescribeAlarmHistoryCommand, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { createAwsEndpoint } from '../../aws-endpoint';
import { createCloudWatch } from '../../cloudwatch';
import { createMetrics } from '../../cloudwatch/metrics';

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

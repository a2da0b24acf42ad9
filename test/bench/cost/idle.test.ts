import { idleBill, type TemplateResource } from './idle';

/** Dollars of a template with these resources beside a queue and a stream. */
const costOf = (...resources: TemplateResource[]) =>
  idleBill({
    Queue: { Type: 'AWS::SQS::Queue' },
    Table: { Type: 'AWS::DynamoDB::Table', Properties: { BillingMode: 'PAY_PER_REQUEST' } },
    Function: { Type: 'AWS::Lambda::Function', Properties: { MemorySize: 1024 } },
    ...Object.fromEntries(resources.map((resource, index) => [`Resource${index}`, resource])),
  }).dollars;

const alarm = (Properties: object): TemplateResource => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: { ...Properties },
});
const filter = (transformation: object): TemplateResource => ({
  Type: 'AWS::Logs::MetricFilter',
  Properties: { MetricTransformations: [transformation] },
});
const readerOf = (source: string): TemplateResource => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: { EventSourceArn: { 'Fn::GetAtt': [source, 'Arn'] } },
});
const schedule = (ScheduleExpression: string): TemplateResource => ({
  Type: 'AWS::Scheduler::Schedule',
  Properties: { ScheduleExpression, Target: { Arn: { 'Fn::GetAtt': ['Function', 'Arn'] } } },
});

test.each<[string, TemplateResource[], number]>([
  ['an alarm on a metric', [alarm({ MetricName: 'Errors' })], 0.1],
  [
    'an alarm on an expression of two metrics',
    [alarm({ Metrics: [{ Expression: 'a+b' }, { MetricStat: {} }, { MetricStat: {} }] })],
    0.2,
  ],
  ['a dashboard', [{ Type: 'AWS::CloudWatch::Dashboard' }], 3],
  ['a secret', [{ Type: 'AWS::SecretsManager::Secret' }], 0.4],
  ['a key', [{ Type: 'AWS::KMS::Key' }], 1],
  ['a metric filter that writes only for matching lines', [filter({ MetricValue: '1' })], 0],
  ['a metric filter that writes zeros', [filter({ MetricValue: '1', DefaultValue: 0 })], 0.3],
  ['a queue that a function polls: 657,000 receives', [readerOf('Queue')], 0.2628],
  ['a stream that a function reads', [readerOf('Table')], 0],
  ['a run a minute: 43,800, of 50 ms and half a read unit', [schedule('rate(1 minute)')], 0.0845],
  ['a run in ten minutes', [schedule('rate(10 minutes)')], 0.00845],
])('%s costs while idle what AWS charges', (_, resources, dollars) => {
  expect(costOf(...resources)).toBeCloseTo(dollars, 3);
});

test.each([
  ['a type of an unknown service', { Type: 'AWS::EC2::NatGateway' }],
  ['a schedule of unknown frequency', schedule('cron(0 0 * * ? *)')],
  ['provisioned capacity', { Type: 'AWS::DynamoDB::Table', Properties: { BillingMode: 'PROVISIONED' } }],
])('%s is an error, not free', (_, resource) => {
  expect(() => costOf(resource)).toThrow();
});

import { billOf, type Bill, type PricedUnit, type Quantities } from './bill';

/** A resource of a CloudFormation template. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

type Template = Readonly<Record<string, TemplateResource>>;
type Charges = Quantities[string];

const MONTH_MINUTES = 730 * 60;
/** Lambda polls a queue with five long polls of 20 seconds each, empty or not. */
const POLLS_PER_MINUTE = 15;
/** Of a scheduled function that finds nothing to do; those of this service took a fifth of it. */
const IDLE_RUN_SECONDS = 0.05;
/** Of a scheduled function: an eventually consistent scan of an empty table or index. */
const IDLE_RUN_READ_UNITS = 0.5;
const DEFAULT_MEMORY_MB = 128;

/** What a resource is charged in a month in which nobody uses it, by type. */
const charged: Readonly<Record<string, (resource: TemplateResource, template: Template) => Charges>> = {
  'AWS::CloudWatch::Alarm': ({ Properties }) => ({ 'cloudwatch:alarmMetrics': metricsOfAlarm(Properties) }),
  'AWS::CloudWatch::Dashboard': () => ({ 'cloudwatch:dashboards': 1 }),
  'AWS::Logs::MetricFilter': ({ Properties }) => ({ 'cloudwatch:customMetrics': writtenWhileIdle(Properties) }),
  'AWS::SecretsManager::Secret': () => ({ 'secretsmanager:secrets': 1 }),
  'AWS::KMS::Key': () => ({ 'kms:keys': 1 }),
  'AWS::Lambda::EventSourceMapping': ({ Properties }, template) =>
    template[referred(Properties?.['EventSourceArn'])]?.Type === 'AWS::SQS::Queue'
      ? { 'sqs:requests': POLLS_PER_MINUTE * MONTH_MINUTES }
      : {},
  'AWS::Scheduler::Schedule': ({ Properties }, template) => runsOf(Properties, template),
  'AWS::DynamoDB::Table': ({ Properties }) => {
    if (Properties?.['BillingMode'] !== 'PAY_PER_REQUEST') throw new Error('a table with provisioned capacity');
    return {};
  },
};

/**
 * Services whose other resources cost nothing while nobody uses them. AWS WAF is an option, which is left out here like the
 * app clients of partners.
 */
const freeWhileIdle = [
  'ApiGateway',
  'ApiGatewayV2',
  'CDK',
  'CloudFormation',
  'CloudFront',
  'Cognito',
  'DynamoDB',
  'Events',
  'IAM',
  'IoT',
  'Lambda',
  'Logs',
  'S3',
  'SQS',
  'Scheduler',
  'WAFv2',
];

/**
 * Bill of a month in which a deployed template is not used, without free tiers, app clients of partners and AWS WAF.
 * @throws Error for a type of which it is not known what it costs while idle
 */
export function idleBill(template: Template): Bill {
  const quantities: Record<string, Partial<Record<PricedUnit, number>>> = {};
  for (const [id, resource] of Object.entries(template)) {
    const [, service = '', type = ''] = resource.Type.split('::');
    const charges = charged[resource.Type]?.(resource, template);
    if (!charges && !resource.Type.startsWith('Custom::') && !freeWhileIdle.includes(service))
      throw new Error(`it is not known what ${resource.Type} costs while idle`);
    const ofCaller = (quantities[callerOf(id, service, type)] ??= {});
    for (const [unit, quantity] of Object.entries(charges ?? {}) as [PricedUnit, number][])
      ofCaller[unit] = (ofCaller[unit] ?? 0) + quantity;
  }
  return billOf('an idle month', 'counted in the template; nothing is stored, sent or logged', quantities);
}

/** Alarms are one line of the bill, other resources a line each. */
const callerOf = (id: string, service: string, type: string): string =>
  service === 'CloudWatch' && type === 'Alarm' ? 'alarms' : id;

/** CloudWatch charges an alarm for each metric that it reads. */
function metricsOfAlarm(properties: TemplateResource['Properties']): number {
  const queries = properties?.['Metrics'] as readonly { readonly MetricStat?: unknown }[] | undefined;
  return queries === undefined ? 1 : queries.filter(({ MetricStat }) => MetricStat !== undefined).length;
}

/** A filter with a default value writes it for every minute in which lines, but no matching ones, arrive. */
function writtenWhileIdle(properties: TemplateResource['Properties']): number {
  const transformations = (properties?.['MetricTransformations'] ?? []) as readonly object[];
  return transformations.filter((one) => 'DefaultValue' in one).length;
}

function runsOf(properties: TemplateResource['Properties'], template: Template): Charges {
  const expression = String(properties?.['ScheduleExpression']);
  const [, minutes] = /^rate\((\d+) minutes?\)$/.exec(expression) ?? [];
  if (minutes === undefined) throw new Error(`it is not known how often ${expression} runs`);
  const runs = MONTH_MINUTES / Number(minutes);
  const lambda = template[referred((properties?.['Target'] as { Arn?: unknown } | undefined)?.Arn)];
  const memoryMb = Number(lambda?.Properties?.['MemorySize'] ?? DEFAULT_MEMORY_MB);
  return {
    'scheduler:invocations': runs,
    'lambda:requests': runs,
    'lambda:gbSeconds': runs * IDLE_RUN_SECONDS * (memoryMb / 1024),
    'dynamodb:readUnits': runs * IDLE_RUN_READ_UNITS,
  };
}

/** Logical id in a `{Fn::GetAtt}`. */
function referred(value: unknown): string {
  const attribute = (value as { 'Fn::GetAtt'?: readonly [string, string] } | undefined)?.['Fn::GetAtt'];
  return attribute?.[0] ?? '';
}

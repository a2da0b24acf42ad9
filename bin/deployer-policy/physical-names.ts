/** A resource of a template. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

interface Naming {
  /** Path of the property with which a template names the resource itself. */
  readonly property?: string;
  /** The name that CloudFormation makes up, or each that it may, by stack and logical id; `-*` at its end is random. */
  readonly generated?: (stack: string, logicalId: string) => readonly string[];
  readonly maxLength?: number;
  /** ARNs by name; region and account are `*`. */
  readonly arns: (name: string, properties: Readonly<Record<string, unknown>>) => readonly string[];
}

const byStack = (stack: string, logicalId: string) => [`${stack}-${logicalId}-*`];
const byLogicalId = (_stack: string, logicalId: string) => [`${logicalId}-*`];
const arn = (service: string, before: string) => (name: string) => [`arn:aws:${service}:*:*:${before}${name}`];

/**
 * How the types are named whose ARN has a name; AWS assigns an id to those of all others.
 * `mystack-myalarm-3AOHFRGOXR5T` is the rule (CloudFormation user guide, "Ref", "Resource return examples", and "Name
 * type"); exceptions have their source.
 */
export const naming: Readonly<Record<string, Naming>> = {
  'AWS::CloudWatch::Alarm': {
    property: 'AlarmName',
    generated: byStack,
    maxLength: 255,
    arns: arn('cloudwatch', 'alarm:'),
  },
  'AWS::CloudWatch::Dashboard': {
    property: 'DashboardName',
    arns: (name) => [`arn:aws:cloudwatch::*:dashboard/${name}`],
  },
  'AWS::DynamoDB::Table': {
    property: 'TableName',
    generated: byStack,
    maxLength: 255,
    arns: arn('dynamodb', 'table/'),
  },
  'AWS::Events::Archive': { property: 'ArchiveName', arns: arn('events', 'archive/') },
  'AWS::Events::EventBus': { property: 'Name', arns: arn('events', 'event-bus/') },
  'AWS::Events::Rule': {
    property: 'Name',
    generated: byStack,
    maxLength: 64,
    // Of a bus of one's own (service authorization reference, "Amazon EventBridge").
    arns: (name) => [`arn:aws:events:*:*:rule/*/${name}`],
  },
  'AWS::IAM::Role': {
    property: 'RoleName',
    generated: byStack,
    maxLength: 64,
    arns: (name) => [`arn:aws:iam::*:role/${name}`],
  },
  // CreateHandler of the authorizer and of the rule (aws-cloudformation/aws-cloudformation-resource-providers-iot). The template
  // reference has `MyStackMyTopicRule12ABC3D456EFG` for a rule of stack My-Stack.
  'AWS::IoT::Authorizer': {
    property: 'AuthorizerName',
    generated: (_stack, logicalId) => [`${logicalId}_*`],
    maxLength: 128,
    arns: arn('iot', 'authorizer/'),
  },
  'AWS::IoT::DomainConfiguration': {
    property: 'DomainConfigurationName',
    generated: (_stack, logicalId) => [`${logicalId}*`],
    maxLength: 128,
    // AWS IoT appends an id to the name.
    arns: (name) => [`arn:aws:iot:*:*:domainconfiguration/${name}/*`],
  },
  'AWS::IoT::TopicRule': {
    property: 'RuleName',
    generated: (stack, logicalId) => [`${stack.replaceAll('-', '')}${logicalId}*`, `${logicalId}_*`],
    maxLength: 128,
    arns: arn('iot', 'rule/'),
  },
  'AWS::Lambda::Function': {
    property: 'FunctionName',
    generated: byStack,
    maxLength: 64,
    arns: arn('lambda', 'function:'),
  },
  // The logical id, as in the ARNs of deployed CDK apps, such as `…:layer:AwsCliLayerF44AAF94:34`.
  'AWS::Lambda::LayerVersion': {
    property: 'LayerName',
    generated: (_stack, logicalId) => [logicalId],
    arns: (name) => [`arn:aws:lambda:*:*:layer:${name}`, `arn:aws:lambda:*:*:layer:${name}:*`],
  },
  'AWS::Logs::LogGroup': {
    property: 'LogGroupName',
    generated: byStack,
    maxLength: 512,
    arns: arn('logs', 'log-group:'),
  },
  'AWS::S3::Bucket': {
    property: 'BucketName',
    generated: (stack, logicalId) => byStack(stack.toLowerCase(), logicalId.toLowerCase()),
    maxLength: 63,
    arns: (name) => [`arn:aws:s3:::${name}`],
  },
  'AWS::SQS::Queue': { property: 'QueueName', generated: byStack, maxLength: 80, arns: arn('sqs', '') },
  'AWS::Scheduler::Schedule': {
    property: 'Name',
    generated: byStack,
    maxLength: 64,
    arns: arn('scheduler', 'schedule/*/'),
  },
  'AWS::Scheduler::ScheduleGroup': {
    property: 'Name',
    // Deleting a group deletes its schedules, which need the right to it themselves.
    arns: (name) => [`arn:aws:scheduler:*:*:schedule-group/${name}`, `arn:aws:scheduler:*:*:schedule/${name}/*`],
  },
  // `CloudFormationCreatedSecret-a1b2c3d4e5f6` (Secrets Manager user guide, "Create a secret with CloudFormation").
  'AWS::SecretsManager::Secret': {
    property: 'Name',
    generated: byLogicalId,
    maxLength: 512,
    arns: (name) => [`arn:aws:secretsmanager:*:*:secret:${name}-*`],
  },
  'AWS::WAFv2::WebACL': {
    property: 'Name',
    arns: (name, { Scope }) => [`arn:aws:wafv2:*:*:${Scope === 'CLOUDFRONT' ? 'global' : 'regional'}/webacl/${name}/*`],
  },
};

/** A template, and the name of its stack. */
export interface NamedTemplate {
  readonly stackName: string;
  readonly resources: Readonly<Record<string, TemplateResource>>;
}

/** ARNs of a resource, with `*` for each part that only AWS knows; none when AWS assigns its id. */
export function arnsOf(stackName: string, logicalId: string, { Type, Properties = {} }: TemplateResource): string[] {
  const type = naming[Type];
  if (!type) return [];
  const given = type.property === undefined ? undefined : Properties[type.property];
  const names = given === undefined ? type.generated?.(stackName, logicalId) : [textOf(given, stackName)];
  if (!names) throw new Error(`${logicalId} must have a ${type.property}: the deployer policy is scoped to it`);
  return names.flatMap((name) => type.arns(cut(name, type.maxLength), Properties));
}

/** A name as CloudFormation gives it, with `*` for what it resolves during deployment. */
function textOf(value: unknown, stackName: string): string {
  if (typeof value === 'string') return value;
  const { 'Fn::Join': join, Ref } = value as { 'Fn::Join'?: [string, unknown[]]; Ref?: string };
  if (join) return join[1].map((part) => textOf(part, stackName)).join(join[0]);
  return Ref === 'AWS::StackName' ? stackName : '*';
}

const RANDOM_LENGTH = 12;

/** CloudFormation does not document how it shortens a name that is too long: here it loses characters before the random part. */
function cut(name: string, maxLength = Infinity): string {
  const [, text = name, end = ''] = /^(.*?)(-?\*)$/.exec(name) ?? [];
  return text.slice(0, maxLength - (end === '' ? 0 : end.length + RANDOM_LENGTH)) + end;
}

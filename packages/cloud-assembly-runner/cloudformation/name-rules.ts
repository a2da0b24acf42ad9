/** What a service takes as the value of a property that is a name. */
export interface NameRule {
  readonly type: string;
  /** Path of the property; `*` stands for each element of a list. */
  readonly property: string;
  readonly form: RegExp;
  /** Has the form, and is refused nonetheless. */
  readonly reserved?: RegExp;
}

const upTo = (most: number, characters: string) => new RegExp(`^[${characters}]{1,${most}}$`);
const word = '\\w-';
const wafMetric = { form: upTo(128, word), reserved: /^(All|Default_Action)$/ };
const anything = (most: number) => new RegExp(`^[^]{1,${most}}$`);

/**
 * The forms are those of the schemas in CloudFormation's registry (as cfn-lint 1.58.0 ships them). Reserved names, and forms
 * that a schema leaves out, are from the page named above the row.
 */
export const nameRules: readonly NameRule[] = [
  { type: 'AWS::ApiGateway::RestApi', property: 'Name', form: anything(1024) },
  // API Gateway API reference, CreateStage.
  { type: 'AWS::ApiGateway::Stage', property: 'StageName', form: upTo(128, word) },
  // ApiGatewayV2 API reference, "Apis" and "Stages".
  { type: 'AWS::ApiGatewayV2::Api', property: 'Name', form: anything(128) },
  { type: 'AWS::ApiGatewayV2::Stage', property: 'StageName', form: /^(\$default|[\w-]{1,128})$/ },
  { type: 'AWS::CloudFront::Function', property: 'Name', form: upTo(64, word) },
  // CloudFront API reference, FunctionConfig.
  { type: 'AWS::CloudFront::Function', property: 'FunctionConfig.Comment', form: /^[^]{0,128}$/ },
  // CloudFront API reference, OriginAccessControlConfig.
  { type: 'AWS::CloudFront::OriginAccessControl', property: 'OriginAccessControlConfig.Name', form: anything(64) },
  // CloudFront API reference, ResponseHeadersPolicyConfig; its console names the characters.
  {
    type: 'AWS::CloudFront::ResponseHeadersPolicy',
    property: 'ResponseHeadersPolicyConfig.Name',
    form: upTo(128, word),
  },
  { type: 'AWS::CloudWatch::Alarm', property: 'AlarmName', form: anything(255) },
  { type: 'AWS::CloudWatch::Alarm', property: 'MetricName', form: anything(255) },
  { type: 'AWS::CloudWatch::Alarm', property: 'Namespace', form: /^[^:][^]{0,254}$/ },
  // CloudWatch API reference, MetricDataQuery.
  { type: 'AWS::CloudWatch::Alarm', property: 'Metrics.*.Id', form: /^[a-z]\w{0,254}$/ },
  // CloudWatch API reference, PutDashboard.
  { type: 'AWS::CloudWatch::Dashboard', property: 'DashboardName', form: upTo(255, word) },
  // Cognito API reference, CreateUserPoolDomain; developer guide, "Using the Amazon Cognito domain", for the words.
  {
    type: 'AWS::Cognito::UserPoolDomain',
    property: 'Domain',
    form: /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
    reserved: /aws|amazon|cognito/,
  },
  { type: 'AWS::Cognito::UserPoolResourceServer', property: 'Identifier', form: /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/ },
  { type: 'AWS::Cognito::UserPoolResourceServer', property: 'Name', form: upTo(256, '\\w\\s+=,.@-') },
  // Cognito API reference, ResourceServerScopeType.
  {
    type: 'AWS::Cognito::UserPoolResourceServer',
    property: 'Scopes.*.ScopeName',
    form: /^[\x21\x23-\x2E\x30-\x5B\x5D-\x7E]{1,256}$/,
  },
  // DynamoDB developer guide, "Naming rules".
  { type: 'AWS::DynamoDB::Table', property: 'TableName', form: /^[\w.-]{3,255}$/ },
  { type: 'AWS::DynamoDB::Table', property: 'GlobalSecondaryIndexes.*.IndexName', form: /^[\w.-]{3,255}$/ },
  { type: 'AWS::Events::Archive', property: 'ArchiveName', form: upTo(48, '.\\w-') },
  // Some Regions refuse an empty one: GeneralServiceException (aws/aws-cdk, issue 37847).
  { type: 'AWS::Events::Archive', property: 'KmsKeyIdentifier', form: upTo(2048, '\\w/:-') },
  // A slash is for the event buses of other companies only (EventBridge API reference, CreateEventBus).
  { type: 'AWS::Events::EventBus', property: 'Name', form: upTo(256, '.\\w-'), reserved: /^default$/ },
  { type: 'AWS::Events::Rule', property: 'Name', form: upTo(64, '.\\w-') },
  // EventBridge API reference, Target.
  { type: 'AWS::Events::Rule', property: 'Targets.*.Id', form: upTo(64, '.\\w-') },
  { type: 'AWS::IAM::Role', property: 'RoleName', form: upTo(64, '\\w+=,.@-') },
  { type: 'AWS::IAM::Role', property: 'Policies.*.PolicyName', form: upTo(128, '\\w+=,.@-') },
  { type: 'AWS::IAM::Policy', property: 'PolicyName', form: upTo(128, '\\w+=,.@-') },
  { type: 'AWS::IoT::Authorizer', property: 'AuthorizerName', form: upTo(128, '\\w=,@-') },
  { type: 'AWS::IoT::DomainConfiguration', property: 'DomainConfigurationName', form: upTo(128, '\\w.:-') },
  { type: 'AWS::IoT::TopicRule', property: 'RuleName', form: upTo(128, '\\w') },
  { type: 'AWS::Lambda::Function', property: 'FunctionName', form: upTo(64, word) },
  { type: 'AWS::Lambda::Function', property: 'Description', form: /^[^]{0,256}$/ },
  { type: 'AWS::Lambda::LayerVersion', property: 'LayerName', form: upTo(140, word) },
  // CloudWatch Logs API reference, CreateLogGroup.
  { type: 'AWS::Logs::LogGroup', property: 'LogGroupName', form: upTo(512, '\\w.#/-'), reserved: /^aws\// },
  // CloudWatch Logs API reference, PutMetricFilter and MetricTransformation. CloudWatch user guide, "Namespaces", for `AWS/`.
  { type: 'AWS::Logs::MetricFilter', property: 'FilterName', form: /^[^:*]{1,512}$/ },
  { type: 'AWS::Logs::MetricFilter', property: 'MetricTransformations.*.MetricName', form: /^[^:*$]{1,255}$/ },
  {
    type: 'AWS::Logs::MetricFilter',
    property: 'MetricTransformations.*.MetricNamespace',
    form: /^[^:*$]{1,255}$/,
    reserved: /^AWS\//,
  },
  // S3 user guide, "General purpose bucket naming rules".
  {
    type: 'AWS::S3::Bucket',
    property: 'BucketName',
    form: /^(?!.*\.\.)(?!\d+\.\d+\.\d+\.\d+$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    reserved: /^(xn--|sthree-|amzn-s3-demo-)|(-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$/,
  },
  { type: 'AWS::SQS::Queue', property: 'QueueName', form: /^(?=.{1,80}$)[\w-]+(\.fifo)?$/ },
  { type: 'AWS::Scheduler::Schedule', property: 'Name', form: upTo(64, '\\w.-') },
  { type: 'AWS::Scheduler::ScheduleGroup', property: 'Name', form: upTo(64, '\\w.-'), reserved: /^default$/ },
  // Secrets Manager API reference, CreateSecret: an ARN ends in a hyphen and six characters too.
  { type: 'AWS::SecretsManager::Secret', property: 'Name', form: upTo(512, '\\w/+=.@-'), reserved: /-[A-Za-z0-9]{6}$/ },
  { type: 'AWS::WAFv2::WebACL', property: 'Name', form: upTo(128, word) },
  { type: 'AWS::WAFv2::WebACL', property: 'Description', form: /^[\w+=:#@/,.-][\w+=:#@/,.\s-]{0,254}[\w+=:#@/,.-]$/ },
  { type: 'AWS::WAFv2::WebACL', property: 'Rules.*.Name', form: upTo(128, word) },
  // CloudFormation template reference, "AWS::WAFv2::WebACL VisibilityConfig".
  {
    type: 'AWS::WAFv2::WebACL',
    property: 'VisibilityConfig.MetricName',
    form: wafMetric.form,
    reserved: wafMetric.reserved,
  },
  {
    type: 'AWS::WAFv2::WebACL',
    property: 'Rules.*.VisibilityConfig.MetricName',
    form: wafMetric.form,
    reserved: wafMetric.reserved,
  },
];

/**
 * Checks the names that a template gives to a resource; one that CloudFormation makes up fits.
 * @param properties without intrinsic functions
 * @throws Error naming resource, property and value
 */
export function checkNames(logicalId: string, type: string, properties: unknown): void {
  for (const { property, form, reserved } of nameRules.filter((rule) => rule.type === type)) {
    for (const value of valuesAt(properties, property.split('.'))) {
      const fault = faultOf(value, form, reserved);
      if (fault !== undefined) throw new Error(`${logicalId}: ${type} ${property} ${JSON.stringify(value)} ${fault}`);
    }
  }
  checkTags(logicalId, properties);
}

function faultOf(value: unknown, form: RegExp, reserved: RegExp | undefined): string | undefined {
  if (typeof value !== 'string' || !form.test(value)) return `does not match ${form.source}`;
  return reserved?.test(value) ? 'is reserved by AWS' : undefined;
}

function valuesAt(value: unknown, [name, ...more]: readonly string[]): unknown[] {
  if (value === undefined) return [];
  if (name === undefined) return [value];
  if (name === '*') return Array.isArray(value) ? value.flatMap((one) => valuesAt(one, more)) : [];
  return valuesAt((value as Readonly<Record<string, unknown>>)[name], more);
}

/** Tagging AWS resources user guide, "Tag naming limits and requirements". */
function checkTags(logicalId: string, properties: unknown): void {
  const [tags] = valuesAt(properties, ['Tags']);
  const pairs: (readonly [key: unknown, value: unknown])[] = Array.isArray(tags)
    ? tags.map(({ Key, Value }: Readonly<Record<string, unknown>>) => [Key, Value])
    : Object.entries(tags ?? {});
  for (const [key, value] of pairs) {
    const fault =
      faultOf(key, /^[\p{L}\p{N}\s_.:/=+@-]{1,128}$/u, /^aws:/i) ??
      faultOf(value, /^[\p{L}\p{N}\s_.:/=+@-]{0,256}$/u, undefined);
    if (fault !== undefined) throw new Error(`${logicalId}: tag ${JSON.stringify(key)} ${fault}`);
  }
}

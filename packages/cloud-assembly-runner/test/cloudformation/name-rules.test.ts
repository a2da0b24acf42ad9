import { checkNames, nameRules } from '../../cloudformation/name-rules';

/** For each rule values that the service refuses, one of each cause. */
const refused: Readonly<Record<string, readonly unknown[]>> = {
  'AWS::ApiGateway::RestApi Name': [''],
  'AWS::ApiGateway::Stage StageName': ['live stage', 'x'.repeat(129)],
  'AWS::ApiGatewayV2::Api Name': ['', 'x'.repeat(129)],
  'AWS::ApiGatewayV2::Stage StageName': ['live.1', '$other'],
  'AWS::CloudFront::Function Name': ['a.b', 'x'.repeat(65)],
  'AWS::CloudFront::Function FunctionConfig.Comment': ['x'.repeat(129)],
  'AWS::CloudFront::OriginAccessControl OriginAccessControlConfig.Name': ['x'.repeat(65)],
  'AWS::CloudFront::ResponseHeadersPolicy ResponseHeadersPolicyConfig.Name': ['a b'],
  'AWS::CloudWatch::Alarm AlarmName': ['', 'x'.repeat(256)],
  'AWS::CloudWatch::Alarm MetricName': [''],
  'AWS::CloudWatch::Alarm Namespace': [':Stack'],
  'AWS::CloudWatch::Alarm Metrics.*.Id': ['Errors', 'm-1'],
  'AWS::CloudWatch::Dashboard DashboardName': ['my dashboard', 'x'.repeat(256)],
  'AWS::Cognito::UserPoolDomain Domain': ['Drone', '-drone', 'drone-', 'my-cognito', 'x'.repeat(64)],
  'AWS::Cognito::UserPoolResourceServer Identifier': ['https://a b', 'say"so"'],
  'AWS::Cognito::UserPoolResourceServer Name': ['a/b'],
  'AWS::Cognito::UserPoolResourceServer Scopes.*.ScopeName': ['jobs/read'],
  'AWS::DynamoDB::Table TableName': ['ab', 'a/b'],
  'AWS::DynamoDB::Table GlobalSecondaryIndexes.*.IndexName': ['by', 'by status'],
  'AWS::Events::Archive ArchiveName': ['x'.repeat(49), 'a/b'],
  'AWS::Events::Archive KmsKeyIdentifier': [''],
  'AWS::Events::EventBus Name': ['default', 'aws.partner/a', 'a b'],
  'AWS::Events::Rule Name': ['a/b', 'x'.repeat(65)],
  'AWS::Events::Rule Targets.*.Id': ['a/b'],
  'AWS::IAM::Role RoleName': ['x'.repeat(65), 'a/b'],
  'AWS::IAM::Role Policies.*.PolicyName': ['a b'],
  'AWS::IAM::Policy PolicyName': ['a b', 'x'.repeat(129)],
  'AWS::IoT::Authorizer AuthorizerName': ['a.b'],
  'AWS::IoT::DomainConfiguration DomainConfigurationName': ['a/b'],
  'AWS::IoT::TopicRule RuleName': ['on-connected', 'a.b'],
  'AWS::Lambda::Function FunctionName': ['x'.repeat(65), 'a.b'],
  'AWS::Lambda::Function Description': ['x'.repeat(257)],
  'AWS::Lambda::LayerVersion LayerName': ['a.b'],
  'AWS::Logs::LogGroup LogGroupName': ['aws/lambda/x', 'a:b'],
  'AWS::Logs::MetricFilter FilterName': ['a:b'],
  'AWS::Logs::MetricFilter MetricTransformations.*.MetricName': ['a*'],
  'AWS::Logs::MetricFilter MetricTransformations.*.MetricNamespace': ['AWS/Lambda', 'a:b'],
  'AWS::S3::Bucket BucketName': ['Upper', 'a..b', '192.168.5.4', 'xn--bucket', 'bucket-s3alias', 'ab'],
  'AWS::SQS::Queue QueueName': ['a.b', 'x'.repeat(81)],
  'AWS::Scheduler::Schedule Name': ['a b', 'x'.repeat(65)],
  'AWS::Scheduler::ScheduleGroup Name': ['default', 'x'.repeat(65)],
  'AWS::SecretsManager::Secret Name': ['origin-secret', 'a b'],
  'AWS::WAFv2::WebACL Name': ['a.b', 'x'.repeat(129)],
  'AWS::WAFv2::WebACL Description': ['at most 5%'],
  'AWS::WAFv2::WebACL Rules.*.Name': ['a b'],
  'AWS::WAFv2::WebACL VisibilityConfig.MetricName': ['All', 'Default_Action', 'a b', 'x'.repeat(129)],
  'AWS::WAFv2::WebACL Rules.*.VisibilityConfig.MetricName': ['All', 'Default_Action', 'a.b'],
};

/** Properties that have a value at a path. */
const propertiesWith = (path: string, value: unknown): unknown =>
  path.split('.').reduceRight<unknown>((inner, name) => (name === '*' ? [inner] : { [name]: inner }), value);

const rows = Object.entries(refused).flatMap(([rule, values]) => values.map((value) => [rule, value] as const));

test('each rule has names that it refuses', () => {
  expect(Object.keys(refused)).toEqual(nameRules.map(({ type, property }) => `${type} ${property}`));
});

test.each(rows)('%s %j is refused', (rule, value) => {
  const [type = '', property = ''] = rule.split(' ');
  const check = (name: unknown) => () => checkNames('It', type, propertiesWith(property, name));
  expect(check(value)).toThrow(`It: ${rule} ${JSON.stringify(value)} `);
});

test.each([
  ['AWS::WAFv2::WebACL', { Name: 'Limit', VisibilityConfig: { MetricName: 'Limit' }, Rules: [{ Name: 'A_1' }] }],
  ['AWS::S3::Bucket', { BucketName: 'a-bucket.of-ours' }],
  ['AWS::IoT::TopicRule', { RuleName: 'On_connected' }],
  ['AWS::Cognito::UserPoolDomain', { Domain: 'drone-mission-api-123456789012' }],
  ['AWS::Unknown::Type', { Name: '' }],
])('%s with names in form is accepted', (type, properties) => {
  expect(() => checkNames('It', type, properties)).not.toThrow();
});

test.each([
  ['a list', [{ Key: 'aws:stage', Value: 'a' }], 'is reserved by AWS'],
  ['a map', { 'a#b': 'c' }, 'does not match'],
  ['a list with a long value', [{ Key: 'a', Value: 'x'.repeat(257) }], 'does not match'],
])('tags in %s are checked', (_form, Tags, fault) => {
  expect(() => checkNames('It', 'AWS::SQS::Queue', { Tags })).toThrow(fault);
});

/** The resources that actions are scoped to. The first entry that matches an action applies; `*` without one. */
export interface ResourceScope {
  readonly actions: RegExp;
  readonly resources: readonly string[];
  readonly condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** CloudFormation and the CDK prefix names with the stack's: `DroneMissionApi`, `DroneMissionApi-<stage>` and so on. */
const own = 'DroneMissionApi*';
const arn = (service: string, resource: string) => `arn:aws:${service}:*:*:${resource}`;

/** Services that roles of the app may be passed to. */
const roleConsumers = ['apigateway.amazonaws.com', 'lambda.amazonaws.com', 'scheduler.amazonaws.com'];

export const resourceScopes: readonly ResourceScope[] = [
  {
    actions: /^iam:PassRole$/,
    resources: [`arn:aws:iam::*:role/${own}`],
    condition: { StringEquals: { 'iam:PassedToService': roleConsumers } },
  },
  {
    actions: /^iam:CreateServiceLinkedRole$/,
    resources: ['arn:aws:iam::*:role/aws-service-role/ops.apigateway.amazonaws.com/*'],
  },
  { actions: /^iam:/, resources: [`arn:aws:iam::*:role/${own}`] },
  { actions: /^ssm:/, resources: [arn('ssm', 'parameter/cdk-bootstrap/*')] },
  { actions: /^acm:/, resources: [arn('acm', 'certificate/*')] },
  { actions: /^apigateway:/, resources: ['arn:aws:apigateway:*::/*'] },
  {
    actions: /^cloudwatch:\w*(Dashboard|TagResource|UntagResource|ListTagsForResource)/,
    resources: [`arn:aws:cloudwatch::*:dashboard/${own}`, arn('cloudwatch', `alarm:${own}`)],
  },
  { actions: /^cloudwatch:/, resources: [arn('cloudwatch', `alarm:${own}`)] },
  { actions: /^cognito-idp:(CreateUserPool|DescribeUserPoolDomain)$/, resources: ['*'] },
  { actions: /^cognito-idp:/, resources: [arn('cognito-idp', 'userpool/*')] },
  { actions: /^dynamodb:/, resources: [arn('dynamodb', `table/${own}`)] },
  {
    actions: /^events:/,
    resources: [arn('events', `event-bus/${own}`), arn('events', `rule/${own}`), arn('events', `archive/${own}`)],
  },
  {
    actions: /^iot:/,
    resources: [arn('iot', 'authorizer/*'), arn('iot', 'domainconfiguration/*'), arn('iot', 'rule/*')],
  },
  { actions: /^lambda:CreateEventSourceMapping$/, resources: ['*'] },
  { actions: /^lambda:\w*EventSourceMapping$/, resources: [arn('lambda', 'event-source-mapping:*')] },
  { actions: /^lambda:\w*Layer/, resources: [arn('lambda', 'layer:*')] },
  {
    actions: /^lambda:(\w*TagResource|UntagResource|ListTags)$/,
    resources: [arn('lambda', `function:${own}`), arn('lambda', 'event-source-mapping:*')],
  },
  { actions: /^lambda:/, resources: [arn('lambda', `function:${own}`)] },
  { actions: /^logs:Describe(LogGroups|IndexPolicies|ResourcePolicies)$/, resources: ['*'] },
  { actions: /^logs:/, resources: [arn('logs', `log-group:${own}`)] },
  { actions: /^s3:GetObject(Version)?$/, resources: ['arn:aws:s3:::cdk-*-assets-*/*'] },
  { actions: /^s3:/, resources: ['arn:aws:s3:::dronemissionapi*'] },
  {
    actions: /^scheduler:/,
    resources: [arn('scheduler', `schedule-group/${own}`), arn('scheduler', `schedule/*/${own}`)],
  },
  { actions: /^secretsmanager:GetRandomPassword$/, resources: ['*'] },
  // CloudFormation derives a secret's name from its logical id, without the stack name.
  {
    actions: /^secretsmanager:/,
    resources: [arn('secretsmanager', 'secret:StatusChannelsSockets*'), arn('secretsmanager', `secret:${own}`)],
  },
  { actions: /^sqs:/, resources: [arn('sqs', own)] },
];

/** Where an action is allowed; the first whose actions fit is taken, and `*` where none does. */
export interface Place {
  readonly actions: RegExp;
  readonly resources: readonly string[];
  readonly condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** CloudFormation and the CDK begin names with the stack's: `DroneMissionApi`, `DroneMissionApi-<stage>` and so on. */
const own = 'DroneMissionApi*';
const arn = (service: string, resource: string) => `arn:aws:${service}:*:*:${resource}`;

/** Services that take a role of ours. */
const roleTakers = ['apigateway.amazonaws.com', 'lambda.amazonaws.com', 'scheduler.amazonaws.com'];

export const places: readonly Place[] = [
  {
    actions: /^iam:PassRole$/,
    resources: [`arn:aws:iam::*:role/${own}`],
    condition: { StringEquals: { 'iam:PassedToService': roleTakers } },
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
  // CloudFormation names a secret after its logical id, without the stack's name.
  {
    actions: /^secretsmanager:/,
    resources: [arn('secretsmanager', 'secret:StatusChannelsSockets*'), arn('secretsmanager', `secret:${own}`)],
  },
  { actions: /^sqs:/, resources: [arn('sqs', own)] },
];

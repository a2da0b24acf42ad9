import { stackName } from '../../lib/stack/drone-mission-api-stack';
import { arnsOf, type NamedTemplate } from './physical-names';

/** The resources that actions are scoped to. The first entry that matches an action applies; `*` without one. */
export interface ResourceScope {
  readonly actions: RegExp;
  /** Types whose resources in the templates, of any stage, are in the scope. */
  readonly types?: readonly string[];
  readonly resources?: readonly string[];
  readonly condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

const arn = (service: string, resource: string) => `arn:aws:${service}:*:*:${resource}`;

/** Services that roles of the app may be passed to. */
const roleConsumers = [
  'apigateway.amazonaws.com',
  'events.amazonaws.com',
  'lambda.amazonaws.com',
  'scheduler.amazonaws.com',
];

export const resourceScopes: readonly ResourceScope[] = [
  {
    actions: /^iam:PassRole$/,
    types: ['AWS::IAM::Role'],
    condition: { StringEquals: { 'iam:PassedToService': roleConsumers } },
  },
  {
    actions: /^iam:CreateServiceLinkedRole$/,
    resources: ['arn:aws:iam::*:role/aws-service-role/ops.apigateway.amazonaws.com/*'],
  },
  { actions: /^iam:/, types: ['AWS::IAM::Role'] },
  { actions: /^ssm:/, resources: [arn('ssm', 'parameter/cdk-bootstrap/*')] },
  { actions: /^acm:/, resources: [arn('acm', 'certificate/*')] },
  { actions: /^apigateway:/, resources: ['arn:aws:apigateway:*::/*'] },
  {
    actions: /^cloudwatch:\w*(Dashboard|TagResource|UntagResource|ListTagsForResource)/,
    types: ['AWS::CloudWatch::Dashboard', 'AWS::CloudWatch::Alarm'],
  },
  { actions: /^cloudwatch:/, types: ['AWS::CloudWatch::Alarm'] },
  { actions: /^cognito-idp:(CreateUserPool|DescribeUserPoolDomain)$/, resources: ['*'] },
  { actions: /^cognito-idp:/, resources: [arn('cognito-idp', 'userpool/*')] },
  { actions: /^dynamodb:/, types: ['AWS::DynamoDB::Table'] },
  { actions: /^events:/, types: ['AWS::Events::EventBus', 'AWS::Events::Rule', 'AWS::Events::Archive'] },
  { actions: /^iot:/, types: ['AWS::IoT::Authorizer', 'AWS::IoT::DomainConfiguration', 'AWS::IoT::TopicRule'] },
  { actions: /^lambda:CreateEventSourceMapping$/, resources: ['*'] },
  { actions: /^lambda:\w*EventSourceMapping$/, resources: [arn('lambda', 'event-source-mapping:*')] },
  { actions: /^lambda:\w*Layer/, types: ['AWS::Lambda::LayerVersion'] },
  {
    actions: /^lambda:(\w*TagResource|UntagResource|ListTags)$/,
    types: ['AWS::Lambda::Function'],
    resources: [arn('lambda', 'event-source-mapping:*')],
  },
  { actions: /^lambda:/, types: ['AWS::Lambda::Function'] },
  { actions: /^logs:Describe(LogGroups|IndexPolicies|ResourcePolicies)$/, resources: ['*'] },
  { actions: /^logs:/, types: ['AWS::Logs::LogGroup'] },
  { actions: /^s3:GetObject(Version)?$/, resources: ['arn:aws:s3:::cdk-*-assets-*/*'] },
  { actions: /^s3:/, types: ['AWS::S3::Bucket'] },
  { actions: /^scheduler:/, types: ['AWS::Scheduler::ScheduleGroup', 'AWS::Scheduler::Schedule'] },
  { actions: /^secretsmanager:GetRandomPassword$/, resources: ['*'] },
  { actions: /^secretsmanager:/, types: ['AWS::SecretsManager::Secret'] },
  { actions: /^sqs:/, types: ['AWS::SQS::Queue'] },
  {
    actions: /^wafv2:((Dis)?[Aa]ssociateWebACL|GetWebACLForResource)$/,
    types: ['AWS::WAFv2::WebACL'],
    resources: ['arn:aws:apigateway:*::/restapis/*/stages/*'],
  },
  { actions: /^wafv2:/, types: ['AWS::WAFv2::WebACL'] },
];

/** The ARNs that an entry stands for, in stacks of any stage, sorted. */
export function resourcesIn(
  templates: readonly NamedTemplate[],
  { types = [], resources = [] }: ResourceScope,
): string[] {
  const named = templates.flatMap((template) =>
    Object.entries(template.resources)
      .filter(([, { Type }]) => types.includes(Type))
      .flatMap(([logicalId, resource]) => arnsOf(template.stackName, logicalId, resource)),
  );
  return [...new Set([...named.map(ofAnyStage), ...resources])].sort();
}

const ownName = new RegExp(`([:/]${stackName(undefined)}).*$`, 'i');

/** Names that begin with the stack's become a prefix: `…:function:DroneMissionApi*`; others stay as they are. */
function ofAnyStage(resource: string): string {
  return resource.replace(ownName, '$1*');
}

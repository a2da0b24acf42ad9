import type { NamedTemplate } from './physical-names';
import registry from './registry.json';
import { resourceScopes, resourcesIn, type ResourceScope } from './resource-scopes';

/** Actions of the registry that a deployment of this app does not need, and why. */
interface ExcludedActions {
  readonly actions: RegExp;
  readonly reason: string;
  /** Only resources with properties of these names need the actions: none of this app may have one. */
  readonly properties?: RegExp;
  /** Checked resource types, where others have properties of such names too. Default: all. */
  readonly types?: RegExp;
}

export const excludedActions: readonly ExcludedActions[] = [
  { actions: /^kms:/, reason: 'nothing is encrypted with a customer managed key', properties: /^kms/i },
  {
    actions: /^(ec2|elasticfilesystem|s3files):|^lambda:PassCapacityProvider$/,
    reason: 'functions are in no VPC and mount no file system',
    properties: /^(VpcConfig|FileSystemConfigs|CapacityProviderConfig)$/,
  },
  {
    actions:
      /^lambda:(Put|Delete|Associate)(Function|Runtime)(CodeSigning|Concurrency|Scaling|Management|Alias)|:(PublishVersion|GetCodeSigningConfig)$/,
    reason: 'functions are not signed, versioned, pinned to a runtime or limited',
    properties:
      /^(CodeSigningConfigArn|ReservedConcurrentExecutions|\w*ScalingConfig|RuntimeManagementConfig|Publish\w*)$/,
    types: /^AWS::Lambda::(Function|Version|Alias)$/,
  },
  {
    actions: /^secretsmanager:(ReplicateSecretToRegions|RemoveRegionsFromReplication)$/,
    reason: 'the secret is not replicated to other regions',
    properties: /^ReplicaRegions$/,
  },
  {
    actions: /^(kinesis|firehose|s3tables):|^dynamodb:\w*KinesisStreamingDestination$|^logs:CreateLogDelivery$/,
    reason: 'nothing is exported to these services',
    properties: /^(Kinesis\w*|MetadataTableConfiguration|MetadataConfiguration)$/,
  },
  {
    actions:
      /^dynamodb:((Batch)?(Get|Put|Update|Delete|Write|WriteItem)Item|BatchWriteItem|Query|Scan|\w*TableReplica|ImportTable|DescribeImport|(Put|Delete)ResourcePolicy|UpdateContributorInsights)$/,
    reason: 'tables are neither replicated nor imported, and a deployment does not access items',
    properties: /^(Replicas|GlobalTable\w*|ImportSourceSpecification|ResourcePolicy|ContributorInsightsSpecification)$/,
  },
  {
    actions: /^(logs:CreateLogStream|logs:PutLogEvents|s3:GetObjectMetadata)$/,
    reason: 'only a table import uses them',
    properties: /^ImportSourceSpecification$/,
  },
  {
    actions:
      /^logs:((Put|Delete)(DataProtection|Index|Resource)Policy|Put(BearerToken|LogGroupDeletion)\w*|\w*KmsKey)$/,
    reason: 'log groups have a retention period only',
    properties: /^(DataProtectionPolicy|FieldIndexPolicies|ResourcePolicyDocument|BearerTokenAuthenticationEnabled)$/,
  },
  {
    actions:
      /^s3:(Put|Delete|Create|Update)\w*(Accelerate|Analytics|C[oO][rR][sS]|Inventory|Logging|Metadata|Metrics|Notification|ObjectLock|Replication|Website|IntelligentTiering|Acl|Abac)/,
    reason: 'the buckets are private and encrypted, with versions and a lifecycle at most',
    types: /^AWS::S3::Bucket$/,
    properties:
      /^(Accelerate|Analytics|Cors|Inventory|Logging|Metadata|Metrics|Notification|ObjectLock|Replication|Website|IntelligentTiering|AccessControl|Abac)/,
  },
  {
    actions: /^s3:(REST\.PUT\.OBJECT|getObject|DeleteObject|PutObjectAcl|DeleteBucketLifecycle)$/,
    reason: 'not IAM actions, or for objects, which a deployment does not access',
    properties: /^BodyS3Location$/,
  },
  {
    actions: /^iam:(Put|Delete|Get)(Group|User)Policy$/,
    reason: 'policies are attached to roles only',
    properties: /^(Groups|Users)$/,
  },
  {
    actions: /^events:(Put|Remove)Permission$/,
    reason: 'no other account publishes to the bus',
    properties: /^Policy$/,
  },
  {
    actions: /^iam:CreateServiceLinkedRole$/,
    reason: 'no email is sent; API Gateway’s service-linked role is listed separately',
  },
  {
    actions: /^cloudfront:(\w*ConnectionGroup|GetVpcOrigin|UpdateDistributionWithStagingConfig|updateDistribution)$/,
    reason: 'the distribution has one tenant and no staging; the user pool has no domain of its own',
    properties: /^CustomDomainConfig$/,
  },
  {
    actions: /^(amplify|apprunner|appsync|bedrock-agentcore|ec2|elasticloadbalancing):|^cognito-idp:\w*WebACL/,
    reason: 'the web ACL is associated with an API Gateway stage only',
  },
  { actions: /^payments:/, reason: 'no paid rule groups are used' },
];

interface Statement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: ResourceScope['condition'];
}

export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly Statement[];
}

/** By topic. */
export type PolicyDocuments = Readonly<Record<string, PolicyDocument>>;

/** Actions that a deployment needs and no resource handler declares, with the reason. */
export const additionalActions: Readonly<Record<string, string>> = {
  'lambda:InvokeFunction': 'CloudFormation invokes the functions of custom resources with the deployment role',
  'ssm:GetParameters': 'the template reads the version of the bootstrap stack',
  'iam:CreateServiceLinkedRole':
    'API Gateway creates its service-linked role with the first custom domain name of an account',
};

/** The documents by topic, each small enough for a managed policy. */
const topics: Readonly<Record<string, RegExp>> = {
  functions: /^(iam|lambda|logs|ssm):/,
  data: /^(dynamodb|events|iot|s3|scheduler|secretsmanager|sqs):/,
  front: /^(acm|apigateway|cloudfront|cloudwatch|cognito-idp|wafv2):/,
};

/** Whether a deployment of this app needs an action of the registry. */
const isNeeded = (action: string) => !excludedActions.some(({ actions }) => actions.test(action));

/**
 * The least-privilege policies for CloudFormation's role to create, update and delete this app.
 * @param templates of the app, which together have every resource; the policies are for stacks of any stage
 */
export function policyDocuments(templates: readonly NamedTemplate[]): PolicyDocuments {
  const handlerActions = typesIn(templates)
    .flatMap((type) => (registry.types as Readonly<Record<string, readonly string[]>>)[type] ?? [])
    .filter(isNeeded);
  const actions = [...new Set([...handlerActions, ...Object.keys(additionalActions)])].sort();
  const uncovered = actions.filter((action) => !Object.values(topics).some((part) => part.test(action)));
  if (uncovered.length > 0) throw new Error(`No policy document covers ${uncovered.join(', ')}`);
  return Object.fromEntries(
    Object.entries(topics).map(([name, part]) => {
      const own = actions.filter((action) => part.test(action));
      return [name, { Version: '2012-10-17', Statement: statements(own, templates) }] as const;
    }),
  );
}

const typesIn = (templates: readonly NamedTemplate[]) => [
  ...new Set(templates.flatMap(({ resources }) => Object.values(resources).map(({ Type }) => Type))),
];

function statements(actions: readonly string[], templates: readonly NamedTemplate[]): Statement[] {
  const found = new Map<string, Statement>();
  for (const action of actions) {
    const scope = resourceScopes.find((one) => one.actions.test(action)) ?? { actions: /./, resources: ['*'] };
    const { condition } = scope;
    const resources = resourcesIn(templates, scope);
    const key = JSON.stringify([resources, condition]);
    found.set(key, {
      Effect: 'Allow',
      Action: [...(found.get(key)?.Action ?? []), action],
      Resource: resources,
      ...(condition && { Condition: condition }),
    });
  }
  return [...found.values()];
}

/** Actions that create a role or extend its permissions. */
const extendsRole = /^iam:(CreateRole|(Attach|Detach|Put|Delete)RolePolicy|PutRolePermissionsBoundary)$/;

/**
 * The same documents for an app whose roles have a permissions boundary; without it a deployment can create a role with
 * more rights than its own.
 */
export function withBoundary(documents: PolicyDocuments, boundaryArn: string): PolicyDocuments {
  const condition = { StringEquals: { 'iam:PermissionsBoundary': boundaryArn } };
  const bounded = (statement: Statement): Statement[] => {
    const kept = statement.Action.filter((action) => action !== 'iam:DeleteRolePermissionsBoundary');
    const extending = kept.filter((action) => extendsRole.test(action));
    const rest = kept.filter((action) => !extendsRole.test(action));
    const { Effect, Resource } = statement;
    return [
      ...(rest.length > 0 ? [{ ...statement, Action: rest }] : []),
      ...(extending.length > 0 ? [{ Effect, Action: extending, Resource, Condition: condition }] : []),
    ];
  };
  return Object.fromEntries(
    Object.entries(documents).map(([name, { Version, Statement }]) => [
      name,
      { Version, Statement: Statement.flatMap(bounded) },
    ]),
  );
}

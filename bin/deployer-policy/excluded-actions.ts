/** Actions of the registry that a deployment of this app does not need, and why. */
export interface ExcludedActions {
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

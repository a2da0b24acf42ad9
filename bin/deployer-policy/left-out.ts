/** Actions of the registry that a deployment of this app does without, and why. */
export interface LeftOut {
  readonly actions: RegExp;
  readonly because: string;
  /** What is needed for properties of these names: none of our resources may have one. */
  readonly properties?: RegExp;
  /** The resources that this is about, where others have properties of such names too. Default: all. */
  readonly types?: RegExp;
}

export const leftOut: readonly LeftOut[] = [
  { actions: /^kms:/, because: 'nothing is encrypted with a key of our own', properties: /^kms/i },
  {
    actions: /^(ec2|elasticfilesystem|s3files):|^lambda:PassCapacityProvider$/,
    because: 'functions are in no network of ours and mount nothing',
    properties: /^(VpcConfig|FileSystemConfigs|CapacityProviderConfig)$/,
  },
  {
    actions:
      /^lambda:(Put|Delete|Associate)(Function|Runtime)(CodeSigning|Concurrency|Scaling|Management|Alias)|:(PublishVersion|GetCodeSigningConfig)$/,
    because: 'functions are not signed, versioned, pinned to a runtime or limited',
    properties:
      /^(CodeSigningConfigArn|ReservedConcurrentExecutions|\w*ScalingConfig|RuntimeManagementConfig|Publish\w*)$/,
  },
  {
    actions: /^secretsmanager:(ReplicateSecretToRegions|RemoveRegionsFromReplication)$/,
    because: 'the secret is read in its own region alone',
    properties: /^ReplicaRegions$/,
  },
  {
    actions: /^(kinesis|firehose|s3tables):|^dynamodb:\w*KinesisStreamingDestination$|^logs:CreateLogDelivery$/,
    because: 'nothing is handed on to another service',
    properties: /^(Kinesis\w*|MetadataTableConfiguration|MetadataConfiguration)$/,
  },
  {
    actions:
      /^dynamodb:((Batch)?(Get|Put|Update|Delete|Write|WriteItem)Item|BatchWriteItem|Query|Scan|\w*TableReplica|ImportTable|DescribeImport|(Put|Delete)ResourcePolicy|UpdateContributorInsights)$/,
    because: 'tables are neither replicated nor imported; what is in them is no business of a deployment',
    properties: /^(Replicas|GlobalTable\w*|ImportSourceSpecification|ResourcePolicy|ContributorInsightsSpecification)$/,
  },
  {
    actions: /^(logs:CreateLogStream|logs:PutLogEvents|s3:GetObjectMetadata)$/,
    because: 'only an import of a table writes and reads them',
    properties: /^ImportSourceSpecification$/,
  },
  {
    actions:
      /^logs:((Put|Delete)(DataProtection|Index|Resource)Policy|Put(BearerToken|LogGroupDeletion)\w*|\w*KmsKey)$/,
    because: 'log groups have a retention, and nothing else',
    properties: /^(DataProtectionPolicy|FieldIndexPolicies|ResourcePolicyDocument|BearerTokenAuthenticationEnabled)$/,
  },
  {
    actions:
      /^s3:(Put|Delete|Create|Update)\w*(Accelerate|Analytics|C[oO][rR][sS]|Inventory|Lifecycle|Logging|Metadata|Metrics|Notification|ObjectLock|Replication|Versioning|Website|IntelligentTiering|Acl|Abac)/,
    because: 'the bucket is private and encrypted, and nothing else',
    types: /^AWS::S3::Bucket$/,
    properties:
      /^(Accelerate|Analytics|Cors|Inventory|Lifecycle|Logging|Metadata|Metrics|Notification|ObjectLock|Replication|Versioning|Website|IntelligentTiering|AccessControl|Abac)/,
  },
  {
    actions: /^s3:(REST\.PUT\.OBJECT|getObject|DeleteObject|PutObjectAcl)$/,
    because: 'no actions of IAM, or for objects, which no deployment touches',
    properties: /^BodyS3Location$/,
  },
  {
    actions: /^iam:(Put|Delete|Get)(Group|User)Policy$/,
    because: 'policies are of roles',
    properties: /^(Groups|Users)$/,
  },
  {
    actions: /^events:(Put|Remove)Permission$/,
    because: 'no other account puts events on the bus',
    properties: /^Policy$/,
  },
  { actions: /^iam:CreateServiceLinkedRole$/, because: 'nothing here sends mail; API Gateway’s is named by itself' },
  {
    actions: /^cloudfront:(\w*ConnectionGroup|GetVpcOrigin|UpdateDistributionWithStagingConfig|updateDistribution)$/,
    because: 'the distribution has one tenant and no staging; the user pool has no domain of its own',
    properties: /^CustomDomainConfig$/,
  },
  {
    actions: /^(amplify|apprunner|appsync|bedrock-agentcore|ec2|elasticloadbalancing):|^cognito-idp:\w*WebACL/,
    because: 'the web ACL is of a stage of API Gateway',
  },
  { actions: /^payments:/, because: 'no rules are bought' },
];

/** A resource of the synthesised template whose properties hold no intrinsics any more. */
export interface Resource {
  readonly logicalId: string;
  /** CloudFormation type, such as `AWS::DynamoDB::Table`. */
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** CloudFormation `Metadata`, such as the asset path that CDK notes on a function. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What `Ref` and `Fn::GetAtt` of a created resource give. */
export interface Created {
  readonly ref: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/**
 * One AWS service on this machine. Resources are created in the order of their references,
 * `start` is called when all of them exist, `stop` in the reverse order of `start`.
 */
export interface Service {
  /** The CloudFormation types that it plays. */
  readonly types: readonly string[];
  create(resource: Resource): Created | Promise<Created>;
  start?(): Promise<void>;
  stop?(): Promise<void>;
  /** The secret that a dynamic reference names, by its ARN; undefined when it has none of that name. */
  secretOf?(arn: string): string | undefined;
}

/** One call of an AWS API, as the endpoint for all of them hands it to a service. */
export interface AwsCall {
  /** Signing name, such as `dynamodb` or `execute-api`. */
  readonly service: string;
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface AwsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** An AWS API that code and the command line call through the SDK. */
export interface AwsApi {
  /** Signing name of its calls. */
  readonly signingName: string;
  /** IAM action and resource ARNs of a call, for the caller's policy: `dynamodb:GetItem` on the table. */
  permissions(call: AwsCall): readonly { action: string; resource: string }[];
  answer(call: AwsCall): Promise<AwsAnswer>;
}

import type { Charges } from './billing/meter';

/** A resource of the synthesised template with all intrinsics resolved. */
export interface Resource {
  readonly logicalId: string;
  /** CloudFormation type, such as `AWS::DynamoDB::Table`. */
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** CloudFormation `Metadata`, such as the asset path that CDK notes on a function. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Values of `Ref` and `Fn::GetAtt` for a created resource. */
export interface Created {
  readonly ref: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/**
 * One emulated AWS service. Resources are created in the order of their references, `start` is called when all of them
 * exist, `stop` in the reverse order of `start`.
 */
export interface Service {
  /** The CloudFormation types that it supports. */
  readonly types: readonly string[];
  create(resource: Resource): Created | Promise<Created>;
  start?(): Promise<void>;
  stop?(): Promise<void>;
  /** The secret with this ARN, for dynamic references; undefined when there is none. */
  secretOf?(arn: string): string | undefined;
}

/** One call of an AWS API, as the shared endpoint passes it to a service. */
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
  /** What AWS would charge the caller with for the call; default: nothing. */
  readonly charges?: Charges;
}

/** An AWS API that functions and command lines call through the SDK. */
export interface AwsApi {
  /** Signing name of its calls. */
  readonly signingName: string;
  /** IAM actions and resource ARNs that a call needs, such as `dynamodb:GetItem` on the table. */
  permissions(call: AwsCall): readonly { action: string; resource: string }[];
  answer(call: AwsCall): Promise<AwsAnswer>;
  /** What an administrator may want to know of its load; `GET /_statistics/<signing name>` of the endpoint returns it. */
  readonly statistics?: () => unknown;
}

import { Duration, RemovalPolicy, Validations, Aws } from 'aws-cdk-lib/core';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  CfnPermission,
  Function,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { TableUse, TableUses } from '../../contract/terms/endpoint';
import { tableVariable, type TableName } from '../../domain/values/table-names';
import { functionCode } from './function-code';
import { ServiceRole } from '../foundation/service-role';
import { nagName } from '../foundation/nag-name';
import type { Tables } from '../foundation/tables';

const actions: Readonly<Record<TableUse, string>> = {
  get: 'dynamodb:GetItem',
  batchGet: 'dynamodb:BatchGetItem',
  batchWrite: 'dynamodb:BatchWriteItem',
  query: 'dynamodb:Query',
  scan: 'dynamodb:Scan',
  put: 'dynamodb:PutItem',
  update: 'dynamodb:UpdateItem',
  delete: 'dynamodb:DeleteItem',
};

/** Memory of functions whose caller waits for the reply, as measured (docs/performance.md). */
const DEFAULT_MEMORY_MB = 1024;

export interface ApiFunctionProps {
  /** File below `lambdas/` without `.lambda.ts`; of the simulator, below `packages/` without `.ts`. */
  readonly entry: string;
  readonly description: string;
  /** Default: a name that CloudFormation generates. A function with a name of its own can't be replaced by an update. */
  readonly name?: string;
  /** Variables other than table names, which {@link ApiFunction.uses} sets. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Dead-letter queue for failed asynchronous invocations. */
  readonly failures?: Queue;
  /** Default: 10, for functions whose caller waits for the reply. */
  readonly timeoutSeconds?: number;
  /** Default: {@link DEFAULT_MEMORY_MB}. Lambda allocates processor time in proportion to it. */
  readonly memoryMb?: number;
  /**
   * Allows it to send messages to the queue that invokes it. By default Lambda stops such a loop after about 16 invocations
   * (Lambda developer guide, "Use Lambda recursive loop detection to prevent infinite loops").
   */
  readonly recursive?: boolean;
  /** Default: false. X-Ray records an invocation a second of each function, which costs more than the invocation. */
  readonly traced?: boolean;
}

/** A Lambda function with its own log group and role. The role allows only logging and tracing until more is granted. */
export class ApiFunction extends Construct {
  readonly lambda: Function;

  constructor(scope: Construct, id: string, props: ApiFunctionProps) {
    super(scope, id);
    const { entry, description, environment, failures, timeoutSeconds = 10, memoryMb = DEFAULT_MEMORY_MB } = props;
    const { name, recursive, traced = false } = props;
    const logGroup = new LogGroup(this, 'Log', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new ServiceRole(this, 'Role', new ServicePrincipal('lambda.amazonaws.com'));
    logGroup.grantWrite(role);
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray and dynamodb:ListStreams support no resource-level permissions.',
    });

    this.lambda = new Function(this, 'Function', {
      description,
      ...(name !== undefined && { functionName: name }),
      role,
      logGroup,
      code: functionCode(this, entry),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      // A cold start is mostly processor time.
      memorySize: memoryMb,
      timeout: Duration.seconds(timeoutSeconds),
      ...(traced && { tracing: Tracing.ACTIVE }),
      loggingFormat: LoggingFormat.JSON,
      // Of invocations, only those that fail or time out: two lines for each of the others would cost more than the invocation.
      systemLogLevelV2: SystemLogLevel.WARN,
      ...(recursive && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...(failures && { deadLetterQueue: failures }),
      ...(environment && { environment }),
    });
  }

  /**
   * Grants only these operations on these tables and sets each table's name in the environment (`JOBS_TABLE` for `jobs`), in
   * one call, so that neither can be forgotten.
   */
  uses(tables: Tables, ...uses: readonly TableUses[]): this {
    for (const [name, operations] of mergeUses(uses)) {
      const { tableName, tableArn } = tables[name];
      this.lambda.addEnvironment(tableVariable(name), tableName);
      this.allowOperations(operations, [tableArn]);
      const indexes = tables.queried[name] ?? [];
      if (operations.includes('query') && indexes.length > 0) {
        this.allowOperations(
          ['query'],
          indexes.map((index) => `${tableArn}/index/${index}`),
        );
      }
    }
    return this;
  }

  /**
   * Grants actions on resources other than tables.
   * @param reason why the resources need a wildcard, for cdk-nag
   */
  allow(actions: string[], resources: string[], reason?: string): this {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions, resources }));
    if (reason !== undefined) {
      const rules = resources.map((arn) => ({
        id: `AwsSolutions-IAM5[Resource::${nagName(this, arn)}]`,
        reason,
      }));
      Validations.of(this).acknowledge(...rules);
    }
    return this;
  }

  /**
   * Lets API Gateway invoke the function.
   * @param sourceArn of methods, routes or authorizers, which may contain wildcards
   * @returns the permission, on which a deployment of the API depends
   */
  invokedBy(sourceArn: string): CfnPermission {
    return new CfnPermission(this, 'Permission', {
      action: 'lambda:InvokeFunction',
      functionName: this.lambda.functionArn,
      principal: 'apigateway.amazonaws.com',
      sourceArn,
    });
  }

  private allowOperations(operations: readonly TableUse[], resources: string[]): void {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions: operations.map((use) => actions[use]), resources }));
  }
}

/** Merges the operations of several rows on each table. */
function mergeUses(uses: readonly TableUses[]): Map<TableName, readonly TableUse[]> {
  const merged = new Map<TableName, readonly TableUse[]>();
  for (const [name, operations] of uses.flatMap((each) => Object.entries(each)) as [TableName, readonly TableUse[]][])
    merged.set(name, [...new Set([...(merged.get(name) ?? []), ...operations])]);
  return merged;
}

/** Lets a function create playback URLs for the live video of devices. */
export const grantVideo = (player: ApiFunction): ApiFunction =>
  player.allow(
    ['kinesisvideo:GetDataEndpoint', 'kinesisvideo:GetHLSStreamingSessionURL'],
    [`arn:${Aws.PARTITION}:kinesisvideo:${Aws.REGION}:${Aws.ACCOUNT_ID}:stream/*`],
    'Each device has its own streams, created at runtime.',
  );

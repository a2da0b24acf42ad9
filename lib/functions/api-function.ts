import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function, LoggingFormat, RecursiveLoop, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { join } from 'node:path';
import type { Endpoint, TableName, TableUse } from '../../contract/endpoint';
import { bundlesFolder } from './entry-points';
import { nagName } from './nag-name';
import type { Tables } from '../tables';

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

export interface ApiFunctionProps {
  /** File below `lambdas/` without `.ts`. */
  readonly entry: string;
  readonly description: string;
  /** Settings of its own; tables come with {@link ApiFunction.uses}. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Where what it is called with goes that it has failed at, when nobody waits for its answer. */
  readonly failures?: Queue;
  /** Default: 10, which is for what somebody waits for. */
  readonly timeoutSeconds?: number;
  /**
   * It sends messages to the queue that it is called from, on purpose. Lambda ends such a chain after about 16 rounds
   * otherwise (Lambda developer guide, "Use Lambda recursive loop detection to prevent infinite loops").
   */
  readonly recursive?: boolean;
}

/** One Lambda function with a log and a role of its own. It may do nothing but log and trace until it is bound. */
export class ApiFunction extends Construct {
  readonly lambda: Function;

  constructor(scope: Construct, id: string, props: ApiFunctionProps) {
    super(scope, id);
    const { entry, description, environment, failures, timeoutSeconds = 10, recursive } = props;
    const logGroup = new LogGroup(this, 'Log', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Neither traces nor the list of streams have a resource that a policy could name.',
    });

    this.lambda = new Function(this, 'Function', {
      description,
      role,
      logGroup,
      code: Code.fromAsset(join(bundlesFolder(this), entry)),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      // Lambda's share of a processor grows with memory; a cold start is mostly computing.
      memorySize: 1024,
      timeout: Duration.seconds(timeoutSeconds),
      tracing: Tracing.ACTIVE,
      loggingFormat: LoggingFormat.JSON,
      ...(recursive && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...(failures && { deadLetterQueue: failures }),
      ...(environment && { environment }),
    });
  }

  /**
   * Binds tables: permission for these operations and no other, and each table's name in the environment
   * (`JOBS_TABLE` for `jobs`), in one call, so that neither can be forgotten.
   */
  uses(tables: Tables, uses: Endpoint['tables']): this {
    for (const [name, operations] of Object.entries(uses) as [TableName, readonly TableUse[]][]) {
      const { tableName, tableArn } = tables[name];
      this.lambda.addEnvironment(`${name.toUpperCase()}_TABLE`, tableName);
      this.allow(operations, [tableArn]);
      const indexes = tables.queried[name] ?? [];
      if (operations.includes('query') && indexes.length > 0) {
        this.allow(
          ['query'],
          indexes.map((index) => `${tableArn}/index/${index}`),
        );
      }
    }
    return this;
  }

  /**
   * Permission for something other than tables.
   * @param because why resources that hold a wildcard can't be named more closely
   */
  may(actions: string[], resources: string[], because?: string): this {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions, resources }));
    if (because !== undefined) {
      const rules = resources.map((arn) => ({
        id: `AwsSolutions-IAM5[Resource::${nagName(this, arn)}]`,
        reason: because,
      }));
      Validations.of(this).acknowledge(...rules);
    }
    return this;
  }

  private allow(operations: readonly TableUse[], resources: string[]): void {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions: operations.map((use) => actions[use]), resources }));
  }
}

import { Aws } from 'aws-cdk-lib/core';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { ApiFunction } from './api-function';
import { ServiceRole } from './service-role';

/**
 * Creates the role with which the schedules of one group of this account invoke a function, or send to a queue (EventBridge
 * Scheduler user guide, "Confused deputy prevention").
 */
export function schedulerRole(scope: Construct, target: ApiFunction | Queue, groupName: string): ServiceRole {
  const group = `arn:${Aws.PARTITION}:scheduler:${Aws.REGION}:${Aws.ACCOUNT_ID}:schedule-group/${groupName}`;
  const conditions = { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID, 'aws:SourceArn': group } };
  const role = new ServiceRole(scope, 'Role', new ServicePrincipal('scheduler.amazonaws.com', { conditions }));
  role.addToPolicy(
    target instanceof ApiFunction
      ? new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [target.lambda.functionArn] })
      : new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [target.queueArn] }),
  );
  return role;
}

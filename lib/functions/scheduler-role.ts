import { Aws } from 'aws-cdk-lib/core';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ApiFunction } from './api-function';

/**
 * Creates the role with which the schedules of one group of this account invoke a function (EventBridge Scheduler user guide,
 * "Confused deputy prevention").
 */
export function schedulerRole(scope: Construct, { lambda }: ApiFunction, groupName: string): Role {
  const group = `arn:${Aws.PARTITION}:scheduler:${Aws.REGION}:${Aws.ACCOUNT_ID}:schedule-group/${groupName}`;
  const conditions = { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID, 'aws:SourceArn': group } };
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', { conditions }),
  });
  role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [lambda.functionArn] }));
  return role;
}

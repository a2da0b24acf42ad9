import { Rule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { SERVICE } from '../../domain/values/service';
import { deadLetterQueue } from '../functions/dead-letter-queue';
import { ServiceRole } from '../foundation/service-role';
import { publishOutputs } from '../foundation/publish-outputs';
import type { PlatformBus } from './platform-bus';

export interface PlatformForwardingProps {
  readonly platform: PlatformBus;
  /** ARN of an event bus, or of a queue of the same Region, of another account. */
  readonly targetArn: string;
}

/**
 * Sends all events of this service to the account of the drone platform. EventBridge does it with a role of this account, and the
 * policy of the bus or queue has to allow that role (EventBridge user guide, "Sending events to an AWS service in
 * another account" and "Sending and receiving events between AWS accounts").
 */
export class PlatformForwarding extends Construct {
  constructor(scope: Construct, id: string, { platform, targetArn }: PlatformForwardingProps) {
    super(scope, id);
    const events = new ServicePrincipal('events.amazonaws.com');
    const role = new ServiceRole(this, 'Role', events);
    const action = targetArn.split(':')[2] === 'sqs' ? 'sqs:SendMessage' : 'events:PutEvents';
    role.addToPolicy(new PolicyStatement({ actions: [action], resources: [targetArn] }));
    const failures = deadLetterQueue(this, 'Failures', {
      urgency: 'page',
      impact: 'Partners’ jobs and commands do not reach the account of the drone platform',
    });
    const rule = new Rule(this, 'ToPlatform', {
      description: 'Events for the account of the drone platform',
      eventBus: platform.bus,
      eventPattern: { source: [SERVICE] },
      // Of the CDK's own targets, the one for queues passes no role.
      targets: [{ bind: () => ({ arn: targetArn, role, deadLetterConfig: { arn: failures.queueArn } }) }],
    });
    failures.addToResourcePolicy(
      new PolicyStatement({
        principals: [events],
        actions: ['sqs:SendMessage'],
        resources: [failures.queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': rule.ruleArn } },
      }),
    );
    publishOutputs(this, { PlatformForwardingRoleArn: role.roleArn });
  }
}

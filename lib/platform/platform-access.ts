import { Stack, Validations } from 'aws-cdk-lib/core';
import { AccountPrincipal, AccountRootPrincipal, ArnPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { PLATFORM } from '../../domain/values/service';
import { nagName } from '../foundation/nag-name';
import { ServiceRole } from '../foundation/service-role';
import { publishOutputs } from '../foundation/publish-outputs';
import type { PlatformBus } from './platform-bus';

/** How the names of the platform's own rules begin: it can change no others. */
const PLATFORM_RULE_PREFIX = 'platform-';

const RULE_ACTIONS = ['PutRule', 'DescribeRule', 'DeleteRule', 'PutTargets', 'ListTargetsByRule', 'RemoveTargets'];

export interface PlatformAccessProps {
  readonly platform: PlatformBus;
  /** Account id, or ARN of a role: who may assume the role. Default: the stack's account. */
  readonly platformPrincipalArn?: string | undefined;
}

/**
 * The role of the drone platform: it publishes events under its own name, and listens by rules of its own. Without
 * `iam:PassRole` such a rule reaches only targets of the stack's account whose own policy allows it;
 * `PlatformForwarding` reaches other accounts.
 */
export class PlatformAccess extends Construct {
  constructor(scope: Construct, id: string, { platform, platformPrincipalArn }: PlatformAccessProps) {
    super(scope, id);
    const { eventBusArn, eventBusName } = platform.bus;
    const role = new ServiceRole(this, 'Role', principalOf(platformPrincipalArn));
    const rules = Stack.of(this).formatArn({
      service: 'events',
      resource: 'rule',
      resourceName: `${eventBusName}/${PLATFORM_RULE_PREFIX}*`,
    });
    const statements = [
      new PolicyStatement({
        actions: ['events:PutEvents'],
        resources: [eventBusArn],
        conditions: { StringEquals: { 'events:source': PLATFORM } },
      }),
      new PolicyStatement({ actions: RULE_ACTIONS.map((action) => `events:${action}`), resources: [rules] }),
      // Denials that people report name `rule/*`; that a bus would do is not documented.
      new PolicyStatement({ actions: ['events:ListRules'], resources: ['*'] }),
    ];
    for (const statement of statements) role.addToPolicy(statement);
    Validations.of(role).acknowledge(
      { id: 'AwsSolutions-IAM5[Resource::*]', reason: 'ListRules is authorised for all rules at once.' },
      {
        id: `AwsSolutions-IAM5[Resource::${nagName(this, rules)}]`,
        reason: 'The platform chooses how its rules are called after the prefix.',
      },
    );
    publishOutputs(this, { PlatformRoleArn: role.roleArn });
  }
}

function principalOf(accountOrRole: string | undefined) {
  if (accountOrRole === undefined) return new AccountRootPrincipal();
  return accountOrRole.startsWith('arn:') ? new ArnPrincipal(accountOrRole) : new AccountPrincipal(accountOrRole);
}

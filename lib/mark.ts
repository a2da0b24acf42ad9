import { Tags, type Stack } from 'aws-cdk-lib/core';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import type { deploymentChoices } from './deployment-choices';

type Choices = Pick<ReturnType<typeof deploymentChoices>, 'stage' | 'tags' | 'permissionsBoundaryArn'>;

/** The tags of everything in a stack: whose it is, for bills and for policies. */
const tagsOf = ({ stage = 'default', tags }: Choices) => ({ service: 'drone-mission-api', stage, ...tags });

/**
 * Puts on a stack what everything in it bears: tags, on the stack too, and a permissions boundary on every role, those of
 * the CDK's own functions too.
 */
export function mark(stack: Stack, choices: Choices): void {
  for (const [key, value] of Object.entries(tagsOf(choices))) {
    Tags.of(stack).add(key, value);
    stack.addStackTag(key, value);
  }
  const { permissionsBoundaryArn: arn } = choices;
  if (arn === undefined) return;
  PermissionsBoundary.of(stack).apply(ManagedPolicy.fromManagedPolicyArn(stack, 'PermissionsBoundary', arn));
}

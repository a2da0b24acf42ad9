import { Tags, type Stack } from 'aws-cdk-lib/core';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { SERVICE } from '../../domain/values/service';
import type { deploymentOptions } from '../functions/deployment-options';

type Options = Pick<ReturnType<typeof deploymentOptions>, 'stage' | 'tags' | 'permissionsBoundaryArn'>;

/** Tags for cost allocation and policies. */
const tagsOf = ({ stage = 'default', tags }: Options) => ({ service: SERVICE, stage, ...tags });

/**
 * Tags a stack and all its resources, and sets the permissions boundary of every role, including those of the CDK's own
 * functions.
 */
export function applyTagsAndBoundary(stack: Stack, options: Options): void {
  for (const [key, value] of Object.entries(tagsOf(options))) {
    Tags.of(stack).add(key, value);
    stack.addStackTag(key, value);
  }
  const { permissionsBoundaryArn: arn } = options;
  if (arn === undefined) return;
  PermissionsBoundary.of(stack).apply(ManagedPolicy.fromManagedPolicyArn(stack, 'PermissionsBoundary', arn));
}

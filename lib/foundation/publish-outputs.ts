import { CfnOutput, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/**
 * Stack outputs for onboarding partners and for the drone platform, under names that don't change: scripts of operators
 * read them.
 * @param scope the construct that has the values
 * @param values by name, unique in the stack
 */
export function publishOutputs(scope: Construct, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) new CfnOutput(Stack.of(scope), name, { value });
}

import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/** Returns an ARN as cdk-nag writes it in findings, with references as `<LogicalId>`. */
export function nagName(scope: Construct, arn: string): string {
  const resolved = Stack.of(scope).resolve(arn) as string | { 'Fn::Join': [string, (string | { Ref: string })[]] };
  if (typeof resolved === 'string') return resolved;
  return resolved['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : `<${part.Ref}>`)).join('');
}

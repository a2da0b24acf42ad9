import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

type Part = string | { readonly Ref: string } | { readonly 'Fn::GetAtt': readonly [id: string, attribute: string] };

const nameOf = (part: Part): string => {
  if (typeof part === 'string') return part;
  return 'Ref' in part ? `<${part.Ref}>` : `<${part['Fn::GetAtt'].join('.')}>`;
};

/** Returns an ARN as cdk-nag writes it in findings, with references as `<LogicalId>` and `<LogicalId.Attribute>`. */
export function nagName(scope: Construct, arn: string): string {
  const resolved = Stack.of(scope).resolve(arn) as string | { 'Fn::Join': [string, Part[]] };
  return typeof resolved === 'string' ? resolved : resolved['Fn::Join'][1].map(nameOf).join('');
}

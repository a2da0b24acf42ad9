/** Resource-based policies of functions: Lambda API reference, AddPermission, and Lambda quotas. */
import * as z from 'zod';
import { matches } from '../iam/policy';
import { propertiesOf } from '../cloudformation/properties';
import type { Resource } from '../service';
import { nameOf } from './function-configuration';

const properties = z.object({
  Action: z.string(),
  FunctionName: z.string(),
  Principal: z.string(),
  SourceArn: z.string().optional(),
});

/** "Function resource-based policy": 20 KB. */
const MAX_POLICY_BYTES = 20_480;

export interface Permissions {
  /** Adds an AWS::Lambda::Permission. @throws Error when the function's policy exceeds Lambda's quota */
  add(resource: Resource): void;
  /** Whether a permission allows an AWS service to invoke the function on behalf of an ARN. */
  permits(functionArnOrName: string, principal: string, sourceArn: string): boolean;
}

export function createPermissions(functionArnOf: (name: string) => string): Permissions {
  const all: z.infer<typeof properties>[] = [];
  const sizes = new Map<string, number>();

  return {
    add(resource) {
      const permission = propertiesOf(resource, properties);
      all.push(permission);
      const name = nameOf(permission.FunctionName);
      const bytes =
        (sizes.get(name) ?? EMPTY_POLICY_BYTES) + statementSize(resource.logicalId, permission, functionArnOf(name));
      sizes.set(name, bytes);
      if (bytes <= MAX_POLICY_BYTES) return;
      throw new Error(
        `${resource.logicalId}: the policy of ${name} has ${bytes} bytes, Lambda allows ${MAX_POLICY_BYTES}`,
      );
    },

    permits: (functionArnOrName, principal, sourceArn) =>
      all.some(
        (one) =>
          nameOf(one.FunctionName) === nameOf(functionArnOrName) &&
          one.Principal === principal &&
          ['lambda:InvokeFunction', 'lambda:*'].includes(one.Action) &&
          (one.SourceArn === undefined || matches(one.SourceArn, sourceArn)),
      ),
  };
}

const EMPTY_POLICY_BYTES = JSON.stringify({ Version: '2012-10-17', Id: 'default', Statement: [] }).length;

/** Size of a statement as Lambda writes it; CloudFormation makes its id of stack name, logical id and twelve characters. */
function statementSize(
  logicalId: string,
  { Action, Principal, SourceArn }: z.infer<typeof properties>,
  Resource: string,
): number {
  const statement = {
    Sid: `${logicalId}-${'x'.repeat(12)}`,
    Effect: 'Allow',
    Principal: { Service: Principal },
    Action,
    Resource,
    ...(SourceArn !== undefined && { Condition: { ArnLike: { 'AWS:SourceArn': SourceArn } } }),
  };
  return Buffer.byteLength(JSON.stringify(statement)) + 1;
}

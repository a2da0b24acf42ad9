/** Who may call which function: Lambda API reference, AddPermission, and Lambda quotas. */
import * as z from 'zod';
import { matches } from '../policy';
import { propertiesOf } from '../properties';
import type { Resource } from '../service';
import { nameOf } from './function-name';

const properties = z.object({
  Action: z.string(),
  FunctionName: z.string(),
  Principal: z.string(),
  SourceArn: z.string().optional(),
});

/** "Function resource-based policy": 20 KB. */
const MAX_POLICY_BYTES = 20_480;

export interface Permissions {
  /** Takes an AWS::Lambda::Permission; throws when the policy of its function becomes larger than Lambda takes. */
  add(resource: Resource): void;
  /** Whether one lets this AWS service call the function on behalf of this ARN. */
  permits(functionArnOrName: string, principal: string, sourceArn: string): boolean;
}

/** `functionArnOf` gives the ARN of a function by its name. */
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
        `${resource.logicalId}: the policy of ${name} has ${bytes} bytes, Lambda takes ${MAX_POLICY_BYTES}`,
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

/** As Lambda writes it; its id is what CloudFormation makes of a stack's name, a logical id and twelve characters. */
function statementSize(
  logicalId: string,
  { Action, Principal, SourceArn }: z.infer<typeof properties>,
  Resource: string,
): number {
  const statement = {
    ...{ Sid: `${logicalId}-${'x'.repeat(12)}`, Effect: 'Allow', Principal: { Service: Principal }, Action, Resource },
    ...(SourceArn !== undefined && { Condition: { ArnLike: { 'AWS:SourceArn': SourceArn } } }),
  };
  return Buffer.byteLength(JSON.stringify(statement)) + 1;
}

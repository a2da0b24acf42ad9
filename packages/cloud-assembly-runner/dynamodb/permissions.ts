import * as z from 'zod';
import type { AwsCall } from '../service';
import { accountId, region } from '../cloudformation/template';

/** An action that IAM must allow. */
export interface Permission {
  readonly action: string;
  readonly resource: string;
}

const onTable = z.object({ TableName: z.string(), IndexName: z.string().optional() });
const onTables = z.object({ RequestItems: z.record(z.string(), z.unknown()) });
const transaction = z.object({ TransactItems: z.array(z.record(z.string(), onTable)) });

/** Parts of a transaction require the actions of single operations (DynamoDB guide, "Transactions and IAM"). */
const partActions: Readonly<Record<string, string>> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/**
 * IAM actions and resources of a DynamoDB call (service authorization reference): the table, or the index of a query or
 * scan. An operation without a table, or an invalid body, requires the action on `*`.
 */
export function dynamoDbPermissions(call: AwsCall): Permission[] {
  const target = String(call.headers['x-amz-target'] ?? '');
  const operation = target.slice(target.lastIndexOf('.') + 1);
  const action = `dynamodb:${operation}`;
  const body = parse(call.body);

  const one = onTable.safeParse(body);
  if (one.success) return [{ action, resource: arnOf(one.data) }];
  const many = onTables.safeParse(body);
  if (many.success) {
    return Object.keys(many.data.RequestItems).map((TableName) => ({ action, resource: arnOf({ TableName }) }));
  }
  const parts = transaction.safeParse(body);
  if (parts.success) {
    return parts.data.TransactItems.flatMap((item) =>
      Object.entries(item).map(([kind, part]) => ({
        action: `dynamodb:${partActions[kind] ?? kind}`,
        resource: arnOf(part),
      })),
    );
  }
  return [{ action, resource: '*' }];
}

export function tableArn(name: string): string {
  return `arn:aws:dynamodb:${region}:${accountId}:table/${name}`;
}

function arnOf({ TableName, IndexName }: { TableName: string; IndexName?: string | undefined }): string {
  const table = TableName.startsWith('arn:') ? TableName : tableArn(TableName);
  return IndexName === undefined ? table : `${table}/index/${IndexName}`;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

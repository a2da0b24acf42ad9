/**
 * Request units of calls: DynamoDB developer guide, "DynamoDB read and write operations". The engine computes them when it is
 * asked to; not for failed conditions, which consume units too.
 */
import * as z from 'zod';
import { stepsOf, type Charges } from '../billing/meter';
import type { AwsAnswer, AwsCall } from '../service';
import { itemSize } from './item-size';

const reads = new Set(['GetItem', 'BatchGetItem', 'TransactGetItems', 'Query', 'Scan']);
const writes = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems']);

const PARAMETER = '"ReturnConsumedCapacity"';
const WRITE_UNIT_BYTES = 1024;
/** Transactions write each item twice. */
const TRANSACTION_FACTOR = 2;

const consumed = z.object({ CapacityUnits: z.number() });
const succeeded = z.looseObject({
  ConsumedCapacity: z.union([consumed.transform((one) => [one]), z.array(consumed)]).optional(),
});
const item = z.record(z.string(), z.unknown());
const refused = z.looseObject({
  __type: z.string().default(''),
  Item: item.optional(),
  CancellationReasons: z.array(z.looseObject({ Item: item.optional() })).default([]),
});
const putItem = z.looseObject({ Item: item.optional() });
const transaction = z.looseObject({ TransactItems: z.array(z.looseObject({ Put: putItem.optional() })).default([]) });

/** Adds to a call that it returns consumed capacity, unless its caller asked for it or it consumes none. */
export function askForCapacity(call: AwsCall): AwsCall {
  const operation = operationOf(call);
  const isAsked = !(reads.has(operation) || writes.has(operation)) || call.body.includes(PARAMETER);
  // An empty object stays as it is: it is refused.
  if (isAsked || call.body.length <= '{}'.length) return call;
  return { ...call, body: Buffer.concat([Buffer.from(`{${PARAMETER}:"TOTAL",`), call.body.subarray(1)]) };
}

/**
 * The answer with what the call is charged with, and without the consumed capacity when the caller did not ask for it.
 * @param call as the caller sent it
 */
export function withCharges(call: AwsCall, answer: AwsAnswer): AwsAnswer {
  const operation = operationOf(call);
  const isRead = reads.has(operation);
  if (!isRead && !writes.has(operation)) return answer;
  if (answer.status !== 200 && answer.status !== 400) return answer;
  const body: unknown = JSON.parse(answer.body.toString());
  if (answer.status !== 200) return { ...answer, charges: writeUnits(unitsOfRefusal(call, refused.parse(body))) };
  const { ConsumedCapacity = [], ...content } = succeeded.parse(body);
  const units = ConsumedCapacity.reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
  const charges = isRead ? { 'dynamodb:readUnits': units } : writeUnits(units);
  if (call.body.includes(PARAMETER)) return { ...answer, charges };
  // The checksum is that of the engine's body.
  const { 'x-amz-crc32': _, ...headers } = answer.headers;
  return { ...answer, headers, body: JSON.stringify(content), charges };
}

const writeUnits = (units: number): Charges => ({ 'dynamodb:writeUnits': units });

/**
 * A failed condition consumes the write units of the item: of the one that exists, as far as the call returns it, or of the new one
 * if that is larger.
 */
function unitsOfRefusal({ body }: AwsCall, { __type, Item, CancellationReasons }: z.infer<typeof refused>): number {
  const request: unknown = JSON.parse(body.toString());
  if (__type.endsWith('ConditionalCheckFailedException')) return unitsOf(Item, putItem.parse(request).Item);
  if (!__type.endsWith('TransactionCanceledException')) return 0;
  return transaction
    .parse(request)
    .TransactItems.reduce(
      (sum, { Put }, index) => sum + TRANSACTION_FACTOR * unitsOf(CancellationReasons[index]?.Item, Put?.Item),
      0,
    );
}

function unitsOf(...items: readonly (z.infer<typeof item> | undefined)[]): number {
  return Math.max(...items.map((one) => stepsOf(itemSize(one ?? {}), WRITE_UNIT_BYTES)));
}

function operationOf({ headers }: AwsCall): string {
  const target = String(headers['x-amz-target']);
  return target.slice(target.lastIndexOf('.') + 1);
}

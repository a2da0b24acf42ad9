/**
 * Request units of calls: DynamoDB developer guide, "DynamoDB read and write operations". The engine computes them when it is
 * asked to; not for failed conditions, which consume units too, so it is asked for the items that failed them.
 */
import * as z from 'zod';
import { stepsOf, type Charges } from '../billing/meter';
import type { AwsAnswer, AwsCall } from '../service';
import { itemSize } from './item-size';

const reads = new Set(['GetItem', 'BatchGetItem', 'TransactGetItems', 'Query', 'Scan']);
const writes = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems']);

const PARAMETER = '"ReturnConsumedCapacity"';
const CONDITION = '"ConditionExpression"';
const REFUSED_ITEM = '"ReturnValuesOnConditionCheckFailure"';
const WRITE_UNIT_BYTES = 1024;
/** Transactions write each item twice. */
const TRANSACTION_FACTOR = 2;

const units = z.object({ CapacityUnits: z.number() });
const consumed = z.object({
  TableName: z.string(),
  CapacityUnits: z.number(),
  Table: units.optional(),
  GlobalSecondaryIndexes: z.record(z.string(), units).default({}),
});
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

/** Units that a call consumed in a table and in its indexes; of a failed condition, per item in the order of the call. */
export interface Consumption {
  readonly table?: string;
  readonly units: number;
  readonly indexes: Readonly<Record<string, number>>;
}

/** The answer to a call, with what it consumed. */
export interface Consumed {
  readonly answer: AwsAnswer;
  readonly consumed: readonly Consumption[];
}

export const isRead = (call: AwsCall): boolean => reads.has(operationOf(call));
export const isWrite = (call: AwsCall): boolean => writes.has(operationOf(call));

/** Adds to a call that it returns what it consumes, unless its caller asked for it or it consumes nothing. */
export function askForCapacity(call: AwsCall): AwsCall {
  // An empty object stays as it is: it is refused.
  if (!(isRead(call) || isWrite(call)) || call.body.length <= '{}'.length) return call;
  const added = [
    call.body.includes(PARAMETER) ? '' : `${PARAMETER}:"INDEXES",`,
    asksForRefusedItem(call) ? `${REFUSED_ITEM}:"ALL_OLD",` : '',
  ].join('');
  return added ? { ...call, body: Buffer.concat([Buffer.from(`{${added}`), call.body.subarray(1)]) } : call;
}

/** A transaction has its conditions in its parts: it is charged with the items that its caller asks for. */
const asksForRefusedItem = (call: AwsCall): boolean =>
  call.body.includes(CONDITION) && !call.body.includes(REFUSED_ITEM) && operationOf(call) !== 'TransactWriteItems';

/**
 * The answer with what the call is charged with, and without what its caller did not ask for.
 * @param call as the caller sent it
 */
export function withCharges(call: AwsCall, answer: AwsAnswer): Consumed {
  if (!(isRead(call) || isWrite(call)) || (answer.status !== 200 && answer.status !== 400))
    return { answer, consumed: [] };
  const body: unknown = JSON.parse(answer.body.toString());
  if (answer.status !== 200) {
    const refusal = refused.parse(body);
    const consumed = unitsOfRefusal(call, refusal).map((each) => ({ units: each, indexes: {} }));
    const { Item: _, ...content } = refusal;
    const given = asksForRefusedItem(call) ? withBody(answer, content) : answer;
    return { answer: { ...given, charges: chargesOf(call, consumed) }, consumed };
  }
  const { ConsumedCapacity = [], ...content } = succeeded.parse(body);
  const consumed = ConsumedCapacity.map(({ TableName, CapacityUnits, Table, GlobalSecondaryIndexes }) => {
    const indexes = Object.entries(GlobalSecondaryIndexes).map(([name, one]) => [name, one.CapacityUnits] as const);
    return { table: TableName, units: Table?.CapacityUnits ?? CapacityUnits, indexes: Object.fromEntries(indexes) };
  });
  const given = call.body.includes(PARAMETER) ? answer : withBody(answer, content);
  return { answer: { ...given, charges: chargesOf(call, consumed) }, consumed };
}

function chargesOf(call: AwsCall, consumed: readonly Consumption[]): Charges {
  const all = consumed.flatMap(({ units: ofTable, indexes }) => [ofTable, ...Object.values(indexes)]);
  return { [isRead(call) ? 'dynamodb:readUnits' : 'dynamodb:writeUnits']: all.reduce((sum, each) => sum + each, 0) };
}

/** An answer with another body than the engine's, of which the checksum is. */
function withBody(answer: AwsAnswer, content: object): AwsAnswer {
  const { 'x-amz-crc32': _, ...headers } = answer.headers;
  return { ...answer, headers, body: JSON.stringify(content) };
}

/** A failed condition consumes the write units of the item that exists, or of the new one if that is larger. */
function unitsOfRefusal({ body }: AwsCall, { __type, Item, CancellationReasons }: z.infer<typeof refused>): number[] {
  const request: unknown = JSON.parse(body.toString());
  if (__type.endsWith('ConditionalCheckFailedException')) return [unitsOf(Item, putItem.parse(request).Item)];
  if (!__type.endsWith('TransactionCanceledException')) return [];
  return transaction
    .parse(request)
    .TransactItems.map(({ Put }, index) => TRANSACTION_FACTOR * unitsOf(CancellationReasons[index]?.Item, Put?.Item));
}

function unitsOf(...items: readonly (z.infer<typeof item> | undefined)[]): number {
  return Math.max(...items.map((one) => stepsOf(itemSize(one ?? {}), WRITE_UNIT_BYTES)));
}

/** The operation of a call, such as `GetItem`. */
export function operationOf({ headers }: AwsCall): string {
  const target = String(headers['x-amz-target']);
  return target.slice(target.lastIndexOf('.') + 1);
}

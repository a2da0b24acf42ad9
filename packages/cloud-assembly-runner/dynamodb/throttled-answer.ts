/**
 * What a caller gets for items whose partition is throttled. The DynamoDB API reference: ThrottlingException is that of on-demand
 * tables ("CommonErrors", and TransactWriteItems, "ThrottlingError … on an on-demand table"); a batch leaves items out,
 * and fails only when it could do none (BatchWriteItem, BatchGetItem).
 */
import * as z from 'zod';
import { failure } from '../aws-endpoint/aws-error';
import { operationOf } from './consumed-capacity';
import { tableArn } from './permissions';
import type { Partition } from './partition-throttle';
import type { AwsAnswer, AwsCall } from '../service';

const MESSAGE =
  'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly.';

/** For each item of a call in order: its partition, if that is throttled. */
type Refusals = readonly (Partition | undefined)[];

const writes = z.looseObject({ RequestItems: z.record(z.string(), z.array(z.unknown())) });
const reads = z.looseObject({ RequestItems: z.record(z.string(), z.looseObject({ Keys: z.array(z.unknown()) })) });

/** A call that is admitted, as far as it is. */
interface Admitted {
  readonly call: AwsCall;
  /** Adds what was left out to the answer. */
  complete(answer: AwsAnswer): AwsAnswer;
}

/**
 * The part of a call that is admitted: a batch without throttled items, every other call as a whole; undefined when
 * nothing is.
 */
export function withoutThrottled(call: AwsCall, refusals: Refusals): Admitted | undefined {
  if (refusals.every((one) => one === undefined)) return { call, complete: (answer) => answer };
  if (refusals.every((one) => one !== undefined)) return undefined;
  const operation = operationOf(call);
  const body: unknown = JSON.parse(call.body.toString());
  let position = 0;
  const next = () => refusals[position++] === undefined;
  if (operation === 'BatchWriteItem') {
    const request = writes.parse(body);
    const parts = Object.entries(request.RequestItems).map(([table, all]) => [table, partition(all, next)] as const);
    return batch(call, request, parts, 'UnprocessedItems');
  }
  if (operation === 'BatchGetItem') {
    const request = reads.parse(body);
    const parts = Object.entries(request.RequestItems).map(([table, one]) => {
      const [done, left] = partition(one.Keys, next);
      return [
        table,
        [done.length > 0 ? { ...one, Keys: done } : [], left.length > 0 ? { ...one, Keys: left } : []],
      ] as const;
    });
    return batch(call, request, parts, 'UnprocessedKeys');
  }
  return undefined;
}

function partition<One>(all: readonly One[], isFirst: () => boolean): readonly [One[], One[]] {
  const marked = all.map((one) => [one, isFirst()] as const);
  const only = (wanted: boolean) => marked.filter(([, first]) => first === wanted).map(([one]) => one);
  return [only(true), only(false)];
}

type Parts = readonly (readonly [table: string, readonly [done: unknown, left: unknown]])[];

function batch(call: AwsCall, request: object, parts: Parts, name: 'UnprocessedItems' | 'UnprocessedKeys'): Admitted {
  const side = (index: 0 | 1) =>
    Object.fromEntries(
      parts
        .map(([table, both]) => [table, both[index]] as const)
        .filter(([, one]) => !(Array.isArray(one) && one.length === 0)),
    );
  return {
    call: { ...call, body: Buffer.from(JSON.stringify({ ...request, RequestItems: side(0) })) },
    complete: (answer) => {
      if (answer.status !== 200) return answer;
      const { 'x-amz-crc32': _, ...headers } = answer.headers;
      const content = JSON.parse(answer.body.toString()) as object;
      return { ...answer, headers, body: JSON.stringify({ ...content, [name]: side(1) }) };
    },
  };
}

/** The error for a call of which nothing is done. */
export function refuseThrottled(operation: string, refusals: Refusals, kind: 'readUnits' | 'writeUnits'): AwsAnswer {
  if (operation === 'TransactWriteItems' || operation === 'TransactGetItems') return cancelled(refusals);
  const found = refusals.find((one) => one !== undefined);
  const reason = `${found?.index === undefined ? 'Table' : 'Index'}${kind === 'readUnits' ? 'Read' : 'Write'}KeyRangeThroughputExceeded`;
  const resource = tableArn(found?.table ?? '') + (found?.index === undefined ? '' : `/index/${found.index}`);
  const refused = failure('json', 400, 'ThrottlingException', MESSAGE);
  const content = JSON.parse(String(refused.body)) as object;
  return { ...refused, body: JSON.stringify({ ...content, throttlingReasons: [{ reason, resource }] }) };
}

/** One reason for each item, in order. */
function cancelled(refusals: Refusals): AwsAnswer {
  const CancellationReasons = refusals.map((one) =>
    one === undefined ? { Code: 'None' } : { Code: 'ThrottlingError', Message: MESSAGE },
  );
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  const Message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  const refused = failure('json', 400, 'TransactionCanceledException', Message);
  const content = JSON.parse(String(refused.body)) as object;
  return { ...refused, body: JSON.stringify({ ...content, Message, CancellationReasons }) };
}

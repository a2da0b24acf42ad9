/**
 * What befalls the calls of functions, `npm start -- --faults <file>`: each engine asks here, at the one door by which
 * functions come in. Nobody else's calls suffer: who onboards partners or looks into tables is left alone.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { failure } from './aws-refusal';
import { noFaultSettings, type FaultSettings } from './faults-file';
import type { AwsAnswer, AwsCall } from './service';

export interface Faults {
  /**
   * Does a function's call of an AWS API, or what befalls it instead.
   * @param answer does the call
   */
  call(call: AwsCall, answer: () => Promise<AwsAnswer>): Promise<AwsAnswer>;
  /** Hands a batch of a stream over: late, or twice. Gives the last result. */
  batch<Result>(deliver: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
  /** Whether the user pools answer nothing but errors. */
  isCognitoDown(): boolean;
  /**
   * Lets an invocation begin, which may be killed after one of its first calls has been done and before it is answered.
   * @param instance session token of the instance, by which its calls are known
   * @returns what is to be called when it has ended
   */
  invocation(functionName: string, instance: string, kill: () => void): () => void;
}

/** Of an invocation that is to be killed, the call after which it is, at most. */
const LAST_CALL = 4;

/** For how long a killed invocation is kept waiting, until it is dead, in ms. */
const DYING_MS = 1000;

const writes = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems']);

const happens = (share: number | undefined): boolean => share !== undefined && Math.random() < share;

/** Faults as `settings` gives them at each call. */
export function createFaults(settings: () => FaultSettings): Faults {
  const doomed = new Map<string, { callsLeft: number; readonly kill: () => void }>();

  /** The error that a call gets, or nothing. */
  function refusalOf(call: AwsCall): AwsAnswer | undefined {
    const { dynamodb, iot, connections } = settings();
    switch (call.service) {
      case 'dynamodb':
        if (dynamodb.down) return failure('json', 500, 'InternalServerError', 'Internal server error');
        if (happens(dynamodb.throttled))
          return failure('json', 400, 'ProvisionedThroughputExceededException', 'Your request rate is too high');
        return writes.has(operationOf(call)) && happens(dynamodb.conflicting) ? conflict(call) : undefined;
      case 'iotdata':
        return happens(iot.failing) ? failure('rest', 500, 'InternalFailureException', 'Internal failure') : undefined;
      case 'execute-api':
        return happens(connections.failing)
          ? failure('rest', 500, 'InternalServerErrorException', 'Internal server error')
          : undefined;
      default:
        return undefined;
    }
  }

  function delayOf({ service }: AwsCall): number {
    const { dynamodb, iot, connections } = settings();
    const slow = { dynamodb, iotdata: iot, 'execute-api': connections }[service];
    return slow?.slowMs ?? 0;
  }

  /** Kills the instance whose call has been done, if it is its turn. */
  async function killAfter({ headers }: AwsCall): Promise<void> {
    const instance = String(headers['x-amz-security-token']);
    const one = doomed.get(instance);
    if (!one || --one.callsLeft > 0) return;
    doomed.delete(instance);
    one.kill();
    await pause(DYING_MS);
  }

  return {
    async call(call, answer) {
      const result = refusalOf(call) ?? (await answer());
      const delay = delayOf(call);
      if (delay > 0) await pause(delay);
      await killAfter(call);
      return result;
    },

    async batch(deliver, signal) {
      const { lateMs = 0 } = settings().streams;
      if (lateMs > 0) await pause(lateMs, undefined, { signal }).catch(() => undefined);
      const result = await deliver();
      return settings().streams.repeated ? deliver() : result;
    },

    isCognitoDown: () => settings().cognito.down === true,

    invocation(functionName, instance, kill) {
      const { killed } = settings().functions;
      if (killed && functionName.startsWith(killed.name) && happens(killed.share))
        doomed.set(instance, { callsLeft: 1 + Math.floor(Math.random() * LAST_CALL), kill });
      return () => doomed.delete(instance);
    },
  };
}

/** A stack without faults. */
export const noFaults: Faults = createFaults(() => noFaultSettings);

function operationOf({ headers }: AwsCall): string {
  const target = String(headers['x-amz-target']);
  return target.slice(target.lastIndexOf('.') + 1);
}

/** DynamoDB API reference: TransactionConflictException of single writes, TransactionCanceledException of transactions. */
function conflict(call: AwsCall): AwsAnswer {
  const message = 'Transaction is ongoing for the item';
  if (operationOf(call) !== 'TransactWriteItems') return failure('json', 400, 'TransactionConflictException', message);
  const { TransactItems } = JSON.parse(call.body.toString()) as { TransactItems: unknown[] };
  // One reason for each item, in order.
  const CancellationReasons = TransactItems.map((_, index) =>
    index === 0 ? { Code: 'TransactionConflict', Message: message } : { Code: 'None' },
  );
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  const Message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  const canceled = failure('json', 400, 'TransactionCanceledException', Message);
  return { ...canceled, body: JSON.stringify({ ...JSON.parse(String(canceled.body)), Message, CancellationReasons }) };
}

import type { AwsApi, AwsCall } from '../service';

/** Notifies stream pollers of writes to tables, so that they need not poll all the time. */
export interface TableWrites {
  /** Wraps the DynamoDB API to observe its writes. */
  watch(api: AwsApi): AwsApi;
  /** Number of writes to a table so far. */
  count(tableName: string): number;
  /** Resolves after a write beyond `count`, after `ms`, or when the signal aborts. */
  waitBeyond(tableName: string, count: number, ms: number, signal: AbortSignal): Promise<void>;
}

const writeOperations = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems']);

export function createTableWrites(): TableWrites {
  const counts = new Map<string, number>();
  const waiting = new Map<string, Set<() => void>>();

  const recordWrite = (tableName: string) => {
    counts.set(tableName, (counts.get(tableName) ?? 0) + 1);
    for (const resume of waiting.get(tableName) ?? []) resume();
  };

  return {
    watch: (api) => ({
      ...api,
      answer: async (call) => {
        const answer = await api.answer(call);
        if (answer.status === 200 && writeOperations.has(operationOf(call))) {
          for (const tableName of new Set(api.permissions(call).map(tableOf))) recordWrite(tableName);
        }
        return answer;
      },
    }),

    count: (tableName) => counts.get(tableName) ?? 0,

    waitBeyond: (tableName, count, ms, signal) =>
      new Promise((resolve) => {
        const waiters = waiting.get(tableName) ?? new Set();
        waiting.set(tableName, waiters);
        const resume = () => {
          clearTimeout(timer);
          waiters.delete(resume);
          signal.removeEventListener('abort', resume);
          resolve();
        };
        const timer = setTimeout(resume, ms);
        waiters.add(resume);
        signal.addEventListener('abort', resume);
        if (signal.aborted || (counts.get(tableName) ?? 0) > count) resume();
      }),
  };
}

function operationOf({ headers }: AwsCall): string {
  const target = String(headers['x-amz-target']);
  return target.slice(target.lastIndexOf('.') + 1);
}

/** `arn:aws:dynamodb:region:account:table/name/index/…` */
function tableOf({ resource }: { readonly resource: string }): string {
  return resource.split('/')[1] ?? '';
}

import type { AwsApi, AwsCall } from '../service';

/** Who waits for writes to tables, so that their streams need not be asked all the time. */
export interface Writes {
  /** The same API of DynamoDB, watched from now on. */
  watch(api: AwsApi): AwsApi;
  /** How many writes to a table there have been. */
  count(tableName: string): number;
  /** Resolves after a write beyond that count, when the time is up, or when the signal aborts. */
  beyond(tableName: string, count: number, ms: number, signal: AbortSignal): Promise<void>;
}

const writing = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems']);

export function createWrites(): Writes {
  const counts = new Map<string, number>();
  const waiting = new Map<string, Set<() => void>>();

  const note = (tableName: string) => {
    counts.set(tableName, (counts.get(tableName) ?? 0) + 1);
    for (const wake of waiting.get(tableName) ?? []) wake();
  };

  return {
    watch: (api) => ({
      signingName: api.signingName,
      permissions: (call) => api.permissions(call),
      answer: async (call) => {
        const answer = await api.answer(call);
        if (answer.status === 200 && writing.has(operationOf(call))) {
          for (const tableName of new Set(api.permissions(call).map(tableOf))) note(tableName);
        }
        return answer;
      },
    }),

    count: (tableName) => counts.get(tableName) ?? 0,

    beyond: (tableName, count, ms, signal) =>
      new Promise((resolve) => {
        const places = waiting.get(tableName) ?? new Set();
        waiting.set(tableName, places);
        const wake = () => {
          clearTimeout(timer);
          places.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        places.add(wake);
        signal.addEventListener('abort', wake);
        if (signal.aborted || (counts.get(tableName) ?? 0) > count) wake();
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

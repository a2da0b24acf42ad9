/** A call of a store that failed, for the log. */
export interface FailedCall {
  /** Such as `PutItem`. */
  readonly operation: string;
  readonly tables: readonly string[];
}

const failed = new WeakMap<object, FailedCall>();

/** The call that an error comes from; undefined when it comes from none. */
export const findFailedCall = (error: object): FailedCall | undefined => failed.get(error);

/** Notes which call an error comes from, since errors of the SDK don't say it. @param input of the call */
export function noteFailedCall(error: unknown, command: string | undefined, input: object): void {
  if (typeof error !== 'object' || error === null) return;
  failed.set(error, { operation: (command ?? '').replace(/Command$/, ''), tables: tablesOf(input) });
}

/** Names of the tables in the input of a call. */
function tablesOf(input: object): string[] {
  const { TableName, RequestItems, TransactItems } = input as {
    readonly TableName?: string;
    readonly RequestItems?: object;
    readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName?: string }>>[];
  };
  if (TableName !== undefined) return [TableName];
  const written = (TransactItems ?? []).flatMap((item) => Object.values(item).map((part) => part.TableName ?? ''));
  return [...new Set([...Object.keys(RequestItems ?? {}), ...written])];
}

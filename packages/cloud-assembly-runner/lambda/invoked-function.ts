import type { AwsCall } from '../service';

/** The function that a call of Invoke names. */
export interface InvokedFunction {
  readonly name: string;
  /** Version or alias; undefined when the call names none. */
  readonly qualifier: string | undefined;
  /** Whether the ARN is of another account or Region. */
  readonly isElsewhere: boolean;
  /** Whether the path and the query name different qualifiers. */
  readonly isContradictory: boolean;
}

/** A name, `<account>:function:<name>` or an ARN, each with or without a qualifier. */
const FUNCTION_NAME =
  /^(?:arn:aws[\w-]*:lambda:([a-z\d-]+):)?(?:(\d{12}):)?(?:function:)?([\w-]{1,64})(?::(\$LATEST|[\w-]{1,128}))?$/;

/**
 * Reads the path of a call: Lambda API reference, Invoke, `FunctionName` and `Qualifier`.
 * @param arnOf ARN of a function of this account
 * @returns undefined for another path, or a name that no function has
 */
export function invokedFunction(
  { method, path }: Pick<AwsCall, 'method' | 'path'>,
  arnOf: (name: string) => string,
): InvokedFunction | undefined {
  const { pathname, searchParams } = new URL(path, 'http://lambda');
  const [, reference] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(pathname) ?? [];
  if (method !== 'POST' || reference === undefined) return undefined;
  const [, region, account, name, suffix] = FUNCTION_NAME.exec(decodeURIComponent(reference)) ?? [];
  if (name === undefined) return undefined;
  const [, , , ownRegion, ownAccount] = arnOf(name).split(':');
  const asked = searchParams.get('Qualifier') ?? undefined;
  return {
    name,
    qualifier: suffix ?? asked,
    isElsewhere: (region ?? ownRegion) !== ownRegion || (account ?? ownAccount) !== ownAccount,
    isContradictory: suffix !== undefined && asked !== undefined && suffix !== asked,
  };
}

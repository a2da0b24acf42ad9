/** CloudFront Functions: CloudFront developer guide, "JavaScript runtime 2.0 features for CloudFront Functions". */
import { Script } from 'node:vm';
import * as z from 'zod';
import type { Template } from '../../cloudformation/template';
import { findUnsupported } from './runtime-check';
import { createRuntimeContext } from './runtime-context';

/** "Quotas on CloudFront Functions". */
const MAX_CODE_BYTES = 10 * 1024;

export const functionProperties = z.object({
  Name: z.string(),
  FunctionCode: z.string().refine((code) => Buffer.byteLength(code) <= MAX_CODE_BYTES, 'a function has at most 10 KB'),
  FunctionConfig: z.object({
    Runtime: z.literal('cloudfront-js-2.0', { error: 'only the runtime cloudfront-js-2.0 is supported' }),
    KeyValueStoreAssociations: z.undefined({ error: 'key value stores are not supported on this machine' }).optional(),
  }),
});

/** Runs the function and returns its result as JSON would carry it; rejects with its error. */
export type ViewerFunction = (event: unknown) => Promise<unknown>;

/**
 * CloudFront allows about a millisecond of processor time. Here elapsed time is limited, so that a function without an end does
 * not stop the stack: long enough that no pause of a busy machine ends a function that works.
 */
const TIME_LIMIT_MS = 10_000;

/**
 * Loads a function into a sandbox with the runtime's features.
 * @param log takes what the function prints
 * @throws Error for code that can't be loaded, has no `handler`, or uses an unsupported feature, with its line
 */
export function compileViewerFunction(
  { Name, FunctionCode }: z.infer<typeof functionProperties>,
  log: (line: string) => void,
  timeLimitMs = TIME_LIMIT_MS,
): ViewerFunction {
  const { context, missingMethods } = createRuntimeContext((line) => log(`${Name} ${line}`));
  const run = (code: string): unknown =>
    new Script(code, { filename: Name }).runInContext(context, { timeout: timeLimitMs });
  const cannotLoad = (error: unknown) =>
    new Error(`The CloudFront function ${Name} can't be loaded: ${messageOf(error)}`, { cause: error });
  const [unlisted] = attempt(() => findUnsupported(FunctionCode, missingMethods), cannotLoad);
  if (unlisted) {
    const { feature: what, line } = unlisted;
    throw new Error(
      `The CloudFront function ${Name} uses ${what} (line ${line}), which cloudfront-js-2.0 does not have`,
    );
  }
  attempt(() => run(`'use strict';${FunctionCode}`), cannotLoad);
  if (run('typeof handler') !== 'function') throw new Error(`The CloudFront function ${Name} has no handler`);

  return async (event) => {
    const input = JSON.stringify(JSON.stringify(event));
    const result = run(`(async () => JSON.stringify(await handler(JSON.parse(${input}))))()`);
    const output = await withinLimit(result as Promise<string | undefined>, timeLimitMs);
    return output === undefined ? undefined : (JSON.parse(output) as unknown);
  };
}

/** Also ends a function whose promise never settles. */
async function withinLimit<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The function did not end in time')), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Source code of a template's CloudFront functions by logical id, for checks by other engines. */
export function viewerFunctionSources({ Resources }: Pick<Template, 'Resources'>): Readonly<Record<string, string>> {
  const functions = Object.entries(Resources).filter(([, { Type }]) => Type === 'AWS::CloudFront::Function');
  return Object.fromEntries(
    functions.map(([id, { Properties }]) => [id, z.string().parse(Properties['FunctionCode'])]),
  );
}

function attempt<T>(work: () => T, failure: (error: unknown) => Error): T {
  try {
    return work();
  } catch (error) {
    throw failure(error);
  }
}

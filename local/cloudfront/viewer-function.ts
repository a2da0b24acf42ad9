/** CloudFront Functions: CloudFront developer guide, "JavaScript runtime 2.0 features for CloudFront Functions". */
import { Script } from 'node:vm';
import * as z from 'zod';
import type { Template } from '../template';
import { unlistedIn } from './runtime-check';
import { createWorld } from './runtime-world';

/** "Quotas on CloudFront Functions". */
const MAX_CODE_BYTES = 10 * 1024;

export const functionProperties = z.object({
  Name: z.string(),
  FunctionCode: z.string().refine((code) => Buffer.byteLength(code) <= MAX_CODE_BYTES, 'a function has at most 10 KB'),
  FunctionConfig: z.object({
    Runtime: z.literal('cloudfront-js-2.0', { error: 'of the runtimes only cloudfront-js-2.0 is played' }),
    KeyValueStoreAssociations: z.undefined({ error: 'key value stores are not played on this machine' }).optional(),
  }),
});

/** Runs a function on an event and gives its result as JSON carries it; rejects with what it throws. */
export type ViewerFunction = (event: unknown) => Promise<unknown>;

/** A function has about a millisecond of processor time in CloudFront; here a busy machine gets its chance too. */
const TIME_LIMIT_MS = 1000;

/**
 * Loads the JavaScript of a function as it is, into a world that has what the runtime has. `log` takes what it prints.
 * Throws for code that can't be loaded, has no `handler`, or uses what AWS does not list, naming it with its line.
 */
export function compileViewerFunction(
  { Name, FunctionCode }: z.infer<typeof functionProperties>,
  log: (line: string) => void,
): ViewerFunction {
  const { context, missingMethods } = createWorld((line) => log(`${Name} ${line}`));
  const run = (code: string): unknown =>
    new Script(code, { filename: Name }).runInContext(context, { timeout: TIME_LIMIT_MS });
  const cannotLoad = (error: unknown) =>
    new Error(`The CloudFront function ${Name} can't be loaded: ${messageOf(error)}`, { cause: error });
  const [unlisted] = attempt(() => unlistedIn(FunctionCode, missingMethods), cannotLoad);
  if (unlisted) {
    const { what, line } = unlisted;
    throw new Error(
      `The CloudFront function ${Name} uses ${what} (line ${line}), which cloudfront-js-2.0 does not have`,
    );
  }
  attempt(() => run(`'use strict';${FunctionCode}`), cannotLoad);
  if (run('typeof handler') !== 'function') throw new Error(`The CloudFront function ${Name} has no handler`);

  return async (event) => {
    const input = JSON.stringify(JSON.stringify(event));
    const result = run(`(async () => JSON.stringify(await handler(JSON.parse(${input}))))()`);
    const output = await withinLimit(result as Promise<string | undefined>);
    return output === undefined ? undefined : (JSON.parse(output) as unknown);
  };
}

/** A promise that nothing will ever settle ends the function too. */
async function withinLimit<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The function did not come to an end')), TIME_LIMIT_MS);
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

/** Code of the CloudFront functions of a template, by logical id: what other judges of that language are given. */
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

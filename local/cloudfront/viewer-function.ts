/** CloudFront Functions: CloudFront developer guide, "JavaScript runtime 2.0 features for CloudFront Functions". */
import { createHash, createHmac } from 'node:crypto';
import { parse, stringify, escape, unescape } from 'node:querystring';
import { createContext, Script } from 'node:vm';
import * as z from 'zod';

export const functionProperties = z.object({
  Name: z.string(),
  FunctionCode: z.string().max(10 * 1024, { error: 'a function has at most 10 KB' }),
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
 * Loads the JavaScript of a function as it is, into a world that names what the runtime has and nothing else of Node: no
 * file, no network, no timer, no `process`, no code made of text. That shows what would fail in CloudFront, it is no fence
 * against ill will. Throws for code that can't be loaded or has no `handler`.
 */
export function compileViewerFunction(
  { Name, FunctionCode }: z.infer<typeof functionProperties>,
  log: (line: string) => void,
): ViewerFunction {
  const say = (...parts: unknown[]) => log(`${Name} ${parts.map(String).join(' ')}`);
  const sandbox = {
    console: { log: say, error: say },
    require: (name: string) => moduleOf(name),
    ...{ Buffer, atob, btoa, TextEncoder, TextDecoder },
  };
  const context = createContext(sandbox, { codeGeneration: { strings: false, wasm: false } });
  const run = (code: string): unknown =>
    new Script(code, { filename: Name }).runInContext(context, { timeout: TIME_LIMIT_MS });
  try {
    run(FunctionCode);
  } catch (error) {
    throw new Error(`The CloudFront function ${Name} can't be loaded: ${messageOf(error)}`, { cause: error });
  }
  if (run('typeof handler') !== 'function') throw new Error(`The CloudFront function ${Name} has no handler`);

  return async (event) => {
    const input = JSON.stringify(JSON.stringify(event));
    const result = run(`(async () => JSON.stringify(await handler(JSON.parse(${input}))))()`);
    const output = await withinLimit(result as Promise<string | undefined>);
    return output === undefined ? undefined : (JSON.parse(output) as unknown);
  };
}

const modules: Readonly<Record<string, unknown>> = {
  buffer: { Buffer },
  crypto: { createHash, createHmac },
  querystring: { parse, stringify, escape, unescape, decode: parse, encode: stringify },
};

function moduleOf(name: string): unknown {
  if (!Object.hasOwn(modules, name)) throw new Error(`Cannot find module "${name}"`);
  return modules[name];
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

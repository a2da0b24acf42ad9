/** Global context of a cloudfront-js-2.0 function: that of V8, without the features that AWS does not document. */
import { createHash, createHmac } from 'node:crypto';
import { parse, stringify, escape, unescape } from 'node:querystring';
import { createContext, runInContext, type Context } from 'node:vm';
import { runtimeGlobals, runtimeMethods, runtimeStatics } from './runtime-features';

/** `missingMethods`: names of removed methods that no object of the context has. */
export interface RuntimeContext {
  readonly context: Context;
  readonly missingMethods: ReadonlySet<string>;
}

/**
 * Creates a context with the runtime's features and nothing else of Node.js: no files, network, timers, `process`, or
 * code from strings. This shows what would fail in CloudFront; it is not a security boundary.
 * @param log takes what is printed
 */
export function createRuntimeContext(log: (line: string) => void): RuntimeContext {
  const sandbox = {
    console: { log: (line: unknown) => log(String(line)) },
    require: (name: string) => moduleOf(name),
    Buffer,
    atob,
    btoa,
    TextEncoder,
    TextDecoder,
  };
  const context = createContext(sandbox, { codeGeneration: { strings: false, wasm: false } });
  const globals = runInContext('globalThis', context) as Globals;
  globals['InternalError'] = runInContext('(class InternalError extends Error {})', context) as Constructor;
  const missingMethods = removeUnlistedMethods(globals);
  for (const name of Object.getOwnPropertyNames(globals)) {
    if (!runtimeGlobals.has(name)) Reflect.deleteProperty(globals, name);
  }
  return { context, missingMethods };
}

type Constructor = object & { readonly prototype?: object };
type Globals = Record<string, Constructor | undefined>;

/** Objects of Node.js are shared with the process and must not be modified. */
const nodeObjects = ['Buffer', 'console', 'TextEncoder', 'TextDecoder'];

/** Removes the methods that AWS does not document. @returns names of removed methods that no remaining object has */
function removeUnlistedMethods(globals: Globals): ReadonlySet<string> {
  const removed = new Set<string>();
  const remaining = new Set<string>();
  const keepOnly = (holder: object | undefined, allowed: readonly string[] | undefined) => {
    if (!holder || !allowed) return;
    for (const name of Object.getOwnPropertyNames(holder)) {
      const isMethod = typeof Object.getOwnPropertyDescriptor(holder, name)?.value === 'function';
      if (!isMethod || name === 'constructor') continue;
      if (allowed.includes(name)) remaining.add(name);
      else if (Reflect.deleteProperty(holder, name)) removed.add(name);
    }
  };
  const typedArray = Object.getPrototypeOf(globals['Int8Array']) as Constructor;
  keepOnly(typedArray, runtimeStatics['Int8Array']);
  keepOnly(typedArray.prototype, runtimeMethods['TypedArray']);
  for (const name of runtimeGlobals) {
    if (nodeObjects.includes(name)) continue;
    keepOnly(globals[name], runtimeStatics[name]);
    keepOnly(globals[name]?.prototype, runtimeMethods[name]);
  }
  return new Set([...removed].filter((name) => !remaining.has(name)));
}

const algorithms = ['md5', 'sha1', 'sha256'];

function checkAlgorithm(algorithm: string): string {
  if (!algorithms.includes(algorithm)) throw new TypeError(`not supported algorithm: "${algorithm}"`);
  return algorithm;
}

const modules: Readonly<Record<string, unknown>> = {
  buffer: { Buffer },
  crypto: {
    createHash: (algorithm: string) => createHash(checkAlgorithm(algorithm)),
    createHmac: (algorithm: string, key: string) => createHmac(checkAlgorithm(algorithm), key),
  },
  querystring: { parse, stringify, escape, unescape, decode: parse, encode: stringify },
};

function moduleOf(name: string): unknown {
  if (!Object.hasOwn(modules, name)) throw new Error(`Cannot find module "${name}"`);
  return modules[name];
}

/** The world that cloudfront-js-2.0 gives a function: V8's, without whatever AWS does not list. */
import { createHash, createHmac } from 'node:crypto';
import { parse, stringify, escape, unescape } from 'node:querystring';
import { createContext, runInContext, type Context } from 'node:vm';
import { runtimeGlobals, runtimeMethods, runtimeStatics } from './runtime-objects';

/** A world, and the names of the methods that were taken out of it and that nothing in it has. */
export interface World {
  readonly context: Context;
  readonly missingMethods: ReadonlySet<string>;
}

/**
 * Makes a world that names what the runtime has and nothing else of Node: no file, no network, no timer, no `process`, no
 * code made of text. That shows what would fail in CloudFront, it is no fence against ill will. `log` takes what is printed.
 */
export function createWorld(log: (line: string) => void): World {
  const sandbox = {
    console: { log: (line: unknown) => log(String(line)) },
    require: (name: string) => moduleOf(name),
    ...{ Buffer, atob, btoa, TextEncoder, TextDecoder },
  };
  const context = createContext(sandbox, { codeGeneration: { strings: false, wasm: false } });
  const inside = runInContext('globalThis', context) as Inside;
  inside['InternalError'] = runInContext('(class InternalError extends Error {})', context) as Constructor;
  const missingMethods = trim(inside);
  for (const name of Object.getOwnPropertyNames(inside)) {
    if (!runtimeGlobals.has(name)) Reflect.deleteProperty(inside, name);
  }
  return { context, missingMethods };
}

type Constructor = object & { readonly prototype?: object };
type Inside = Record<string, Constructor | undefined>;

/** What came from Node is shared with everybody else, and stays as it is. */
const fromNode = ['Buffer', 'console', 'TextEncoder', 'TextDecoder'];

/** Removes the methods that AWS does not list. @returns the names of methods that no object in the runtime has any more */
function trim(inside: Inside): ReadonlySet<string> {
  const gone = new Set<string>();
  const left = new Set<string>();
  const keepOnly = (holder: object | undefined, allowed: readonly string[] | undefined) => {
    if (!holder || !allowed) return;
    for (const name of Object.getOwnPropertyNames(holder)) {
      const isMethod = typeof Object.getOwnPropertyDescriptor(holder, name)?.value === 'function';
      if (!isMethod || name === 'constructor') continue;
      if (allowed.includes(name)) left.add(name);
      else if (Reflect.deleteProperty(holder, name)) gone.add(name);
    }
  };
  const typedArray = Object.getPrototypeOf(inside['Int8Array']) as Constructor;
  keepOnly(typedArray, runtimeStatics['Int8Array']);
  keepOnly(typedArray.prototype, runtimeMethods['TypedArray']);
  for (const name of runtimeGlobals) {
    if (fromNode.includes(name)) continue;
    keepOnly(inside[name], runtimeStatics[name]);
    keepOnly(inside[name]?.prototype, runtimeMethods[name]);
  }
  return new Set([...gone].filter((name) => !left.has(name)));
}

const algorithms = ['md5', 'sha1', 'sha256'];

function listed(algorithm: string): string {
  if (!algorithms.includes(algorithm)) throw new TypeError(`not supported algorithm: "${algorithm}"`);
  return algorithm;
}

const modules: Readonly<Record<string, unknown>> = {
  buffer: { Buffer },
  crypto: {
    createHash: (algorithm: string) => createHash(listed(algorithm)),
    createHmac: (algorithm: string, key: string) => createHmac(listed(algorithm), key),
  },
  querystring: { parse, stringify, escape, unescape, decode: parse, encode: stringify },
};

function moduleOf(name: string): unknown {
  if (!Object.hasOwn(modules, name)) throw new Error(`Cannot find module "${name}"`);
  return modules[name];
}

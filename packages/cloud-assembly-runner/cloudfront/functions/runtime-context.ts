/** Global context of a cloudfront-js-2.0 function: that of V8, without the features that AWS does not document. */
import { createHash, createHmac } from 'node:crypto';
import { escape, parse, stringify, unescape } from 'node:querystring';
import { createContext, runInContext, type Context } from 'node:vm';

/**
 * Globals, methods and modules of cloudfront-js-2.0: CloudFront developer guide, "JavaScript runtime 2.0 features for
 * CloudFront Functions". They are those of ECMAScript 5.1, with which the page says the runtime complies, and the later
 * features that it lists. Names are separated by spaces.
 */
const words = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean);

const typedArrays = words(
  'Float32Array Float64Array Int8Array Int16Array Int32Array Uint8Array Uint8ClampedArray Uint16Array Uint32Array',
);

/** Names that code may use without declaring them. */
export const runtimeGlobals: ReadonlySet<string> = new Set([
  ...words('globalThis NaN Infinity undefined arguments console require Buffer atob btoa TextDecoder TextEncoder'),
  ...words('decodeURI decodeURIComponent encodeURI encodeURIComponent isFinite isNaN parseFloat parseInt'),
  ...words('Object String Number Boolean Math Date Function RegExp JSON Array ArrayBuffer Promise DataView Symbol'),
  ...words('Error EvalError InternalError RangeError ReferenceError SyntaxError TypeError URIError'),
  ...typedArrays,
]);

const ofTypedArrays = words('from of BYTES_PER_ELEMENT');

/** Static properties by global, without `prototype`; globals not listed here are not checked. */
export const runtimeStatics: Readonly<Record<string, readonly string[]>> = {
  Object: words(`create defineProperties defineProperty freeze getOwnPropertyDescriptor getOwnPropertyDescriptors
    getOwnPropertyNames getPrototypeOf isExtensible isFrozen isSealed keys preventExtensions seal assign entries values
    is setPrototypeOf`),
  String: words('fromCharCode fromCodePoint'),
  Number: words(`EPSILON MAX_SAFE_INTEGER MIN_SAFE_INTEGER MAX_VALUE MIN_VALUE NaN NEGATIVE_INFINITY POSITIVE_INFINITY
    isFinite isInteger isNaN isSafeInteger parseInt parseFloat`),
  Boolean: [],
  Math: words(`E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2 abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz32 cos
    cosh exp expm1 floor fround hypot imul log log1p log2 log10 max min pow random round sign sinh sin sqrt tan tanh
    trunc`),
  Date: words('now parse UTC'),
  RegExp: [],
  JSON: words('parse stringify'),
  Array: words('isArray of'),
  ArrayBuffer: ['isView'],
  Promise: words('all allSettled any reject resolve race'),
  Symbol: words('for keyFor'),
  Error: [],
  Buffer: words('alloc allocUnsafe byteLength compare concat from isBuffer isEncoding'),
  console: ['log'],
  ...Object.fromEntries(typedArrays.map((name) => [name, ofTypedArrays])),
};

/** Methods by the constructor of their prototype; `TypedArray` stands for those that typed arrays share. */
const runtimeMethods: Readonly<Record<string, readonly string[]>> = {
  Object: words('hasOwnProperty isPrototypeOf propertyIsEnumerable toString toLocaleString valueOf'),
  String: words(`charAt charCodeAt concat indexOf lastIndexOf localeCompare match replace search slice split substr
    substring toLowerCase toLocaleLowerCase toUpperCase toLocaleUpperCase toString trim valueOf codePointAt endsWith
    includes repeat startsWith padStart padEnd trimStart trimEnd replaceAll`),
  Number: words('toExponential toFixed toPrecision toString toLocaleString valueOf'),
  Boolean: words('toString valueOf'),
  Function: words('apply bind call toString'),
  RegExp: words('exec test toString'),
  Array: words(`concat every filter forEach indexOf join lastIndexOf map pop push reduce reduceRight reverse shift slice
    some sort splice toString toLocaleString unshift copyWithin fill find findIndex includes`),
  TypedArray: words(`copyWithin every fill filter find findIndex forEach includes indexOf join lastIndexOf map reduce
    reduceRight reverse some set slice sort subarray toString`),
  ArrayBuffer: ['slice'],
  Promise: words('catch finally then'),
  DataView: words(`getFloat32 getFloat64 getInt16 getInt32 getInt8 getUint16 getUint32 getUint8 setFloat32 setFloat64
    setInt16 setInt32 setInt8 setUint16 setUint32 setUint8`),
  Error: ['toString'],
};

/** Modules that `require` returns. */
export const runtimeModules: readonly string[] = ['buffer', 'crypto', 'querystring'];

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

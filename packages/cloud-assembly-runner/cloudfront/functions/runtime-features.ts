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
export const runtimeMethods: Readonly<Record<string, readonly string[]>> = {
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

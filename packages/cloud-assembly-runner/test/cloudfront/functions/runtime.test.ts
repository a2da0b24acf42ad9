import { compileViewerFunction, functionProperties } from '../../../cloudfront/functions/viewer-function';

const runtime = { Runtime: 'cloudfront-js-2.0' } as const;

/** Compiles a function as at start-up and returns the error. */
function refusalOf(FunctionCode: string): string | undefined {
  try {
    compileViewerFunction({ Name: 'given', FunctionCode, FunctionConfig: runtime }, () => undefined);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const inHandler = (body: string) => `function handler(event) {\n${body}\n}`;

describe('cloudfront-js-2.0', () => {
  test.each([
    ['for…of', 'for (const a of [1]) { a; }'],
    ['class', 'class A {}'],
    ['class', 'return class {};'],
    ['spread (…)', 'return [...event];'],
    ['spread (…)', 'return { ...event };'],
    ['spread (…)', 'return Math.max(...event);'],
    ['destructuring', 'const { request } = event; return request;'],
    ['destructuring', 'const [a] = event; return a;'],
    ['a generator function', 'return function* () {};'],
    ['a default value of a parameter', 'return function (a = 1) { return a; };'],
    ['optional chaining (?.)', 'return event?.request;'],
    ['the operator ??', 'return event ?? 1;'],
    ['the operator ||=', 'event ||= 1; return event;'],
    ['the operator ??=', 'event ??= 1; return event;'],
    ['a tagged template', 'return event`a`;'],
    ['a shorthand property', 'return { event };'],
    ['a method without «function»', 'return { a() {} };'],
    ['a computed property name', 'return { [event]: 1 };'],
    ['catch without a parameter', 'try { return 1; } catch { return 2; }'],
    ['a binary or octal number', 'return 0b11;'],
    ['a BigInt', 'return 1n;'],
    ['the flag u of regular expressions', 'return /a/u;'],
    ['the escape \\u{…}', 'return "\\u{1F600}";'],
    ['new.target and import.meta', 'return new.target;'],
    ['import', 'return import("fs");'],
    ['debugger', 'debugger;'],
    ['an async function within a function', 'return async function () {};'],
    ['setTimeout', 'setTimeout(handler, 1);'],
    ['eval', 'return eval("1");'],
    ['the Function constructor', 'return new Function("return 1");'],
    ['process', 'return process.env;'],
    ['fetch', 'return fetch("https://example.com");'],
    ['Map', 'return new Map();'],
    ['Proxy', 'return new Proxy({}, {});'],
    ['Object.fromEntries', 'return Object.fromEntries([]);'],
    ['Object.hasOwn', 'return Object.hasOwn(event, "a");'],
    ['Array.from', 'return Array.from("ab");'],
    ['Symbol.iterator', 'return event[Symbol.iterator];'],
    ['console.error', 'console.error("a");'],
    ['console.log of more than one value', 'console.log("a", "b");'],
    ['the method flatMap', 'return event.list.flatMap(handler);'],
    ['the method matchAll', 'return event.uri.matchAll(/a/g);'],
    ['the method at', 'return event.uri.at(-1);'],
    ['the module fs', 'return require("fs");'],
  ])('refuses %s with its line at start-up', (what, body) => {
    expect(refusalOf(inHandler(`\n${body}`))).toBe(
      `The CloudFront function given uses ${what} (line 3), which cloudfront-js-2.0 does not have`,
    );
  });

  test.each([
    ['export', 'export function handler() {}'],
    ['import', 'import cf from "cloudfront"; function handler() {}'],
    ['await in the arguments of a call', 'async function handler(a) { return String(await a); }'],
    ['an async function as an argument', 'function handler() {} handler(async function () {});'],
    ['for…of', 'async function handler(a) { for await (const one of a) { one; } }'],
  ])('refuses %s outside a handler', (what, code) => {
    expect(refusalOf(code)).toContain(`uses ${what} (line 1)`);
  });

  test.each([
    [
      'statements of ES 5.1',
      'var i; a: for (i = 0; ; i++) { switch (i) { case 3: break a; default: continue; } } do { i--; } while (i);',
    ],
    ['for…in, try and finally', 'for (var k in event) { try { throw k; } catch (e) { k = e; } finally { k; } }'],
    ['const, let and template literals', 'const a = 1; let b = `x${`y${a}`}`; return b;'],
    ['arrow functions with rest parameters', 'return ((...all) => all.length)(1, 2);'],
    ['the operator **', 'var a = 2; a **= 2; return 2 ** a;'],
    ['numeric separators and getters', 'return { get a() { return 1_000; }, set a(b) { b; } };'],
    ['named groups', 'return /(?<n>a)/giy.exec("a").groups.n;'],
    [
      'listed methods',
      'return "a".replaceAll("a", "b").padStart(3).trimEnd().charCodeAt(0) + [1].includes(1) + Object.entries(event);',
    ],
    ['promises', 'return Promise.allSettled([Promise.resolve(1)]).finally(handler);'],
    [
      'typed arrays, DataView and TextDecoder',
      'new DataView(Uint8Array.of(1, 2).buffer).getUint8(0); return new TextDecoder().decode(Buffer.from("a"));',
    ],
    [
      'modules',
      'return require("crypto").createHmac("sha256", "k").update("a").digest("base64url") + require("querystring").escape("a");',
    ],
    [
      'a method that the code defines under the name of a missing one',
      'var own = { at: function () { return 1; } }; return own.at();',
    ],
  ])('accepts %s', (_what, body) => {
    expect(refusalOf(inHandler(body))).toBeUndefined();
  });

  test('accepts an async handler that awaits an earlier call', () => {
    expect(
      refusalOf('async function a() { return 1; } async function handler() { var b = await a(); return b; }'),
    ).toBe(undefined);
  });

  test('limits the size in bytes, not characters', () => {
    const longest = (character: string, count: number) => `function handler() {}//${character.repeat(count)}`;
    const make = (FunctionCode: string) =>
      functionProperties.safeParse({ Name: 'a', FunctionCode, FunctionConfig: runtime });
    expect(make(longest('a', 10 * 1024 - 23)).success).toBe(true);
    expect(make(longest('a', 10 * 1024 - 22)).success).toBe(false);
    expect(make(longest('é', 6 * 1024)).success).toBe(false);
  });
});

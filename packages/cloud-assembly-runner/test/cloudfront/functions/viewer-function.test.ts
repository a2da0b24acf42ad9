import type { OriginRequest } from '../../../cloudfront';
import { serveDistribution, type ServedDistribution } from '../distribution-fixture';
import { compileViewerFunction, functionProperties } from '../../../cloudfront/functions/viewer-function';

describe('CloudFront viewer-request function', () => {
  let served: ServedDistribution | undefined;
  const asked: OriginRequest[] = [];
  const api = {
    serve: (one: OriginRequest) => (
      asked.push(one),
      Promise.resolve({ status: 200, headers: {}, body: 'from the origin' })
    ),
  };
  const serve = async (viewerRequest: string, more: { functionLimitMs?: number } = {}) =>
    (served = await serveDistribution({ origins: { api }, viewerRequest, ...more }));
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${served?.url}${path}`, { headers, redirect: 'manual' });
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  };
  /** The event of the function. */
  const eventFor = async (path: string, headers: Record<string, string>) => {
    await serve('function handler(event) { return { statusCode: 200, body: JSON.stringify(event) }; }');
    return JSON.parse((await get(path, headers)).body) as Record<string, Record<string, unknown>>;
  };

  /** A function that runs this code for `/v3/fail` only. */
  const failing = (code: string) => `${code.replace('handler', 'failing')}
    function handler(event) { return event.request.uri === '/v3/fail' ? failing(event) : event.request; }`;
  const expectFailureOnce = async () => {
    expect((await get('/v3/fail')).status).toBe(503);
    expect(served?.log).toHaveLength(1);
    expect(await get('/v3/a')).toMatchObject({ status: 200, body: 'from the origin' });
  };

  beforeEach(() => (asked.length = 0));
  afterEach(async () => {
    await served?.cloudFront.stop?.();
    served = undefined;
  });

  test('receives an event of version 1.0', async () => {
    const event = await eventFor('/v3/jobs/a%20b?x=1&y=%26&x=2&empty', { cookie: 'c=1; d=2', 'X-Mine': 'yes' });
    expect(event).toMatchObject({
      version: '1.0',
      context: {
        distributionDomainName: served?.domainName,
        distributionId: expect.stringMatching(/^E[A-Z0-9]{13}$/) as unknown,
        eventType: 'viewer-request',
        requestId: expect.any(String) as unknown,
      },
      viewer: { ip: '127.0.0.1' },
      request: {
        method: 'GET',
        uri: '/v3/jobs/a%20b',
        querystring: {
          x: { value: '1', multiValue: [{ value: '1' }, { value: '2' }] },
          y: { value: '%26' },
          empty: { value: '' },
        },
        cookies: { c: { value: '1' }, d: { value: '2' } },
      },
    });
    expect(event.request?.headers).toMatchObject({
      'x-mine': { value: 'yes' },
      host: { value: expect.any(String) as unknown },
    });
    expect(event.request?.headers).not.toHaveProperty('connection');
    expect(event.request?.headers).not.toHaveProperty('cookie');
  });

  test('changes uri, query, headers and cookies of the origin request', async () => {
    await serve(`function handler(event) {
      var request = event.request;
      var parts = request.uri.split('/');
      request.uri = '/';
      request.querystring.job = { value: parts[3] };
      request.querystring.many = { value: '', multiValue: [{ value: '1' }, { value: '2' }] };
      request.headers['x-added'] = { value: 'new' };
      delete request.headers['x-dropped'];
      request.cookies.e = { value: '3' };
      return request;
    }`);
    const { body } = await get('/v3/jobs/job%201/status/ws?token=t', {
      'x-dropped': '1',
      'x-kept': '2',
      cookie: 'c=1',
    });
    expect(body).toBe('from the origin');
    expect(asked[0]).toMatchObject({ path: '/live/', query: 'token=t&job=job%201&many=1&many=2' });
    const headers = Object.fromEntries(asked[0]?.headers ?? []);
    expect(headers).toMatchObject({ 'x-added': 'new', 'x-kept': '2', Cookie: 'c=1; e=3' });
    expect(headers).not.toHaveProperty('x-dropped');
  });

  test('can reply instead of the origin', async () => {
    await serve(`async function handler() {
      return {
        statusCode: 302, statusDescription: 'Found',
        headers: { location: { value: '/elsewhere' }, vary: { value: 'a', multiValue: [{ value: 'a' }, { value: 'b' }] } },
        cookies: { seen: { value: '1', attributes: 'Secure' } },
        body: { encoding: 'base64', data: 'aGVyZQ==' },
      };
    }`);
    const { status, headers, body } = await get('/v3/a');
    expect({
      status,
      body,
      location: headers.get('location'),
      cookie: headers.get('set-cookie'),
      vary: headers.get('vary'),
    }).toEqual({
      status: 302,
      body: 'here',
      location: '/elsewhere',
      cookie: 'seen=1; Secure',
      vary: 'a, b',
    });
    expect(asked).toEqual([]);
  });

  test.each([
    ['throws', 'function handler() { throw new Error("no"); }'],
    ['rejects', 'async function handler() { throw new Error("no"); }'],
    ['returns nothing', 'function handler() {}'],
    ['returns no path', 'function handler(event) { event.request.uri = "nowhere"; return event.request; }'],
    ['compiles a string', 'function handler(event) { event.constructor.constructor("1"); return event.request; }'],
    ['uses Node.js', 'function handler(event) { globalThis.process.cwd(); return event.request; }'],
    ['reads a file', 'function handler(event) { const name = "fs"; require(name); return event.request; }'],
    ['calls a missing method', 'function handler(event) { event["request"]["uri"]["at"](0); return event.request; }'],
    ['requires sloppy mode', 'function handler(event) { this.a = 1; return event.request; }'],
    [
      'uses another hash algorithm',
      'function handler() { return require("crypto").createHash("sha512").update("a").digest(); }',
    ],
  ])('answers 503 when it %s, and serves the next request', async (_what, code) => {
    await serve(failing(code));
    await expectFailureOnce();
  });

  test.each([
    ['never ends', 'function handler() { for (;;) {} }'],
    ['never settles', 'function handler() { return new Promise(function () {}); }'],
  ])('answers 503 when it %s in its time, and serves the next request', async (_what, code) => {
    await serve(failing(code), { functionLimitMs: 1000 });
    await expectFailureOnce();
  });

  test("can use the runtime's modules", async () => {
    await serve(`var crypto = require('crypto'), qs = require('querystring');
      function handler() {
        console.log('hello ' + 1);
        return { statusCode: 200, body: crypto.createHash('md5').update('a').digest('hex') + qs.stringify({ a: 'b c' }) + btoa('x') };
      }`);
    expect((await get('/v3/a')).body).toBe('0cc175b9c0f1b6a831c399e269772661a=b%20ceA==');
    expect(served?.log).toEqual(['path-to-query hello 1']);
  });

  test.each([
    ['does not parse', 'function handler( {'],
    ['has no handler', 'function other() {}'],
    ['imports', 'import cf from "cloudfront"; function handler() {}'],
  ])('is refused at start-up when it %s', async (_what, code) => {
    await expect(serve(code)).rejects.toThrow('The CloudFront function path-to-query');
  });
});

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

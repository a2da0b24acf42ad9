import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { FunctionError } from '../../lambda';
import { until } from '../until';
import { functionsPerTest, startFunctions, type InlineFunctions } from './inline-functions';

const { start, folder, printed } = functionsPerTest();

const sleep = 'const sleep = (ms) => new Promise((done) => setTimeout(done, ms));';
/** Returns an id of the instance and its number of calls. */
const counting = `let calls = 0; const instance = Math.random(); ${sleep}
  exports.handler = async ({ ms }) => { calls += 1; await sleep(ms ?? 0); return { calls, instance }; };`;

/** Instances that a call holds don't count at once, so that a test need not wait. */
const limits = { maxInstances: 2, maxTotal: 2, heldAfterMs: 20 };

interface Count {
  readonly calls: number;
  readonly instance: number;
}

describe('Instances', () => {
  test('are reused for one call after the other', async () => {
    const lambda = await start({ counting });
    await lambda.invoke('counting', {});
    await lambda.invoke('counting', {});
    expect(await lambda.invoke('counting', {})).toMatchObject({ calls: 3 });
  });

  test('run one call at a time, up to their maximum number; further calls wait in order', async () => {
    const lambda = await start(
      {
        // Each call prints when it begins, and ends when its file is there.
        counting: `const { existsSync } = require('node:fs'); let busy = 0; const instance = Math.random(); ${sleep}
          exports.handler = async ({ n, gate }) => {
            busy += 1; const together = busy; console.log('begun ' + n);
            while (!existsSync(gate)) await sleep(2);
            busy -= 1; return { instance, together };
          };`,
      },
      {},
      { maxInstances: 2, heldAfterMs: 600_000 },
    );
    const gate = (n: number) => join(folder(), `gate-${n}`);
    const begun = () => [...(printed() ?? '').matchAll(/begun (\d+)/g)].map(([, n]) => Number(n)).sort();
    const calls = Array.from({ length: 8 }, (_, n) => lambda.invoke('counting', { n, gate: gate(n) }));
    // When an expectation fails, the others end with the instances.
    for (const call of calls) call.catch(() => undefined);
    await until(() => existsSync(join(folder(), 'functions.log')) && begun().length >= 2);
    // A third instance would take a call by then.
    await new Promise((done) => setTimeout(done, 300));
    expect(begun()).toEqual([0, 1]);
    for (let ended = 1; ended <= 8; ended++) {
      writeFileSync(gate(ended - 1), '');
      await calls[ended - 1];
      const expected = Array.from({ length: Math.min(ended + 2, 8) }, (_, n) => n);
      await until(() => begun().length >= expected.length);
      expect(begun()).toEqual(expected);
    }
    const answers = (await Promise.all(calls)) as { instance: number; together: number }[];
    expect(new Set(answers.map(({ together }) => together))).toEqual(new Set([1]));
    expect(new Set(answers.map(({ instance }) => instance)).size).toBe(2);
  });

  test('that calls hold leave room for others, of the same function too, and stay', async () => {
    const gate = () => join(folder(), 'gate');
    const waitsForGate = `const { existsSync } = require('node:fs'); const instance = Math.random(); ${sleep}
      exports.handler = async ({ gate }) => { while (gate && !existsSync(gate)) await sleep(2); return instance; };`;
    const lambda = await start({ waitsForGate, other: 'exports.handler = async () => 1' }, {}, limits);
    const held = Array.from({ length: 5 }, () => lambda.invoke('waitsForGate', { gate: gate() }));
    for (const call of held) call.catch(() => undefined);
    // Without room these would wait for the gate.
    const reads = Array.from({ length: 3 }, () => lambda.invoke('waitsForGate', {}));
    expect(await lambda.invoke('other', {})).toBe(1);
    const free = new Set(await Promise.all(reads));
    writeFileSync(gate(), '');
    const instances = new Set(await Promise.all(held));
    expect(instances.size).toBe(5);
    expect([...instances].filter((instance) => free.has(instance))).toEqual([]);
    const again = await Promise.all(Array.from({ length: 6 }, () => lambda.invoke('waitsForGate', {})));
    for (const instance of again) expect([...instances, ...free]).toContain(instance);
  });

  test('are terminated when idle', async () => {
    const lambda = await start({ counting }, {}, { idleMs: 30 });
    const first = (await lambda.invoke('counting', {})) as Count;
    await new Promise((done) => setTimeout(done, 200));
    const second = (await lambda.invoke('counting', {})) as Count;
    expect(second.instance).not.toBe(first.instance);
  });

  test('reject the running call with FunctionError when they end', async () => {
    const lambda = await start({ endless: 'exports.handler = () => new Promise(() => setInterval(() => {}, 1000))' });
    const call = lambda.invoke('endless', {});
    const failed = expect(call).rejects.toThrow(FunctionError);
    await new Promise((done) => setTimeout(done, 100));
    await lambda.stop?.();
    await failed;
  });
});

describe('The instance budget', () => {
  const instance = 'const instance = Math.random(); exports.handler = async () => instance';

  test('ends the longest idle instance when a function without an instance needs one', async () => {
    const lambda = await start({ a: instance, b: instance, c: instance }, {}, { maxTotal: 2 });
    const a = await lambda.invoke('a', {});
    const b = await lambda.invoke('b', {});
    await lambda.invoke('c', {});
    expect(await lambda.invoke('b', {})).toBe(b);
    expect(await lambda.invoke('a', {})).not.toBe(a);
  });

  test('counts the instances that calls hold, beyond their own maximum', async () => {
    const gate = () => join(folder(), 'gate');
    const begins = `const { existsSync } = require('node:fs'); ${sleep}
      exports.handler = async ({ gate }) => { console.log('begun'); while (!existsSync(gate)) await sleep(2); };`;
    const lambda = await start({ begins }, {}, { ...limits, maxHeld: 3 });
    const calls = Array.from({ length: 7 }, () => lambda.invoke('begins', { gate: gate() }));
    for (const call of calls) call.catch(() => undefined);
    const begun = () => (printed() ?? '').split('begun').length - 1;
    await until(() => existsSync(join(folder(), 'functions.log')) && begun() >= 5);
    // A sixth instance would take a call by then.
    await new Promise((done) => setTimeout(done, 300));
    expect(begun()).toBe(5);
    writeFileSync(gate(), '');
    await Promise.all(calls);
  });

  test('serves all functions even with a maximum of one instance', async () => {
    const lambda = await start({ a: instance, b: instance }, {}, { maxTotal: 1 });
    const names = ['a', 'b', 'a', 'b', 'b', 'a'];
    expect(await Promise.all(names.map((name) => lambda.invoke(name, {})))).toHaveLength(6);
  });
});

const PACKAGE = 'beside';

/** Starts a function of this source, with a package in a folder above it. */
async function startBeside(handler: string) {
  const functions = await startFunctions({ reaching: `exports.handler = async () => ${handler};` });
  const beside = join(functions.folder, 'node_modules', PACKAGE);
  mkdirSync(beside, { recursive: true });
  writeFileSync(join(beside, 'index.js'), 'module.exports = "found";');
  return functions;
}

describe('The code of a function', () => {
  test('finds the modules of Node.js and its own files', async () => {
    const { lambda, remove } = await startBeside(
      "[typeof require('fs').readFileSync, typeof require.resolve('./index.js')]",
    );
    await expect(lambda.invoke('reaching', {})).resolves.toEqual(['function', 'string']);
    await remove();
  });

  test('finds no package above it, where a developer has some and an account has none', async () => {
    const { lambda, remove } = await startBeside(`require("${PACKAGE}")`);
    await expect(lambda.invoke('reaching', {})).rejects.toThrow(
      `Cannot find module '${PACKAGE}': it is not part of the function's code`,
    );
    await remove();
  });
});

/** Source of a function that runs the code in its event, with its own folder and a writable one. */
const source = `const fs = require('node:fs'); const path = require('node:path');
  const AsyncFunction = (async () => {}).constructor;
  exports.handler = async ({ code, folder }) => {
    const named = { fs, promises: require('fs/promises'), imported: await import('node:fs'), stream: require('node:stream/promises') };
    try {
      const value = await new AsyncFunction(...Object.keys(named), 'own', 'path', 'folder', code)(...Object.values(named), __dirname, path, folder);
      return { value: value ?? null };
    } catch ({ code, errno, syscall, message, path: where }) {
      return { code, errno, syscall, message, where };
    }
  };`;

describe('The file system of a function', () => {
  let functions: InlineFunctions;
  let folder: string;
  beforeAll(async () => {
    functions = await startFunctions({ writer: source });
    folder = mkdtempSync(join(tmpdir(), 'function-writes-'));
  });
  afterAll(async () => {
    await functions.remove();
    rmSync(folder, { recursive: true });
  });
  const run = (code: string) => functions.lambda.invoke('writer', { code, folder });

  test.each([
    ['writeFileSync', "fs.writeFileSync(own + '/new', 'a')", 'open'],
    ['an imported writeFileSync', "imported.writeFileSync(own + '/new', 'a')", 'open'],
    ['writeFile with a callback', "await new Promise((_, no) => fs.writeFile(own + '/new', 'a', no))", 'open'],
    ['writeFile of fs/promises', "await promises.writeFile(own + '/new', 'a')", 'open'],
    ['appendFile', "await promises.appendFile(own + '/index.js', 'a')", 'open'],
    ['open for writing', "fs.openSync(own + '/index.js', 'r+')", 'open'],
    ['open with flags', "await promises.open(own + '/new', fs.constants.O_CREAT | fs.constants.O_WRONLY)", 'open'],
    ['a stream', "await stream.finished(fs.createWriteStream(own + '/new'))", 'open'],
    ['mkdir', "fs.mkdirSync(own + '/a/b', { recursive: true })", 'mkdir'],
    ['mkdtemp', "await promises.mkdtemp(own + '/a')", 'mkdtemp'],
    ['rename', "fs.renameSync(own + '/index.js', folder + '/a')", 'rename'],
    ['rename to it', "fs.writeFileSync(folder + '/b', ''); fs.renameSync(folder + '/b', own + '/b')", 'rename'],
    ['copyFile', "await promises.copyFile(own + '/index.js', own + '/copy.js')", 'copyFile'],
    ['unlink', "fs.unlinkSync(own + '/index.js')", 'unlink'],
    ['rm', 'await promises.rm(own, { recursive: true })', 'rm'],
    ['symlink', "fs.symlinkSync('/tmp', own + '/link')", 'symlink'],
    ['utimes', "fs.utimesSync(own + '/index.js', 1, 1)", 'utimes'],
    [
      'a link that leads there',
      "fs.symlinkSync(own, folder + '/link'); fs.writeFileSync(folder + '/link/new', 'a')",
      'open',
    ],
    ['a path without a folder', "fs.writeFileSync('new', 'a')", 'open'],
    ['any other place', "fs.writeFileSync('/opt/new', 'a')", 'open'],
    ['a URL', "fs.writeFileSync(new URL('file:///var/new'), 'a')", 'open'],
  ])('is read-only for %s', async (_what, code, syscall) => {
    const answer = await run(code);
    expect(answer).toMatchObject({ code: 'EROFS', errno: -30, syscall });
    expect(answer).toHaveProperty('message', expect.stringMatching(`^EROFS: read-only file system, ${syscall} '`));
    expect(existsSync(join(functions.folder, 'writer', 'new'))).toBe(false);
    expect(readFileSync(join(functions.folder, 'writer', 'index.js'), 'utf8')).toBe(source);
  });

  test.each([
    [
      'writing below /tmp',
      "fs.writeFileSync(folder + '/c', 'a'); await promises.appendFile(folder + '/c', 'b'); return fs.readFileSync(folder + '/c', 'utf8')",
      'ab',
    ],
    [
      'reading its own code',
      "return fs.readFileSync(own + '/index.js').length > 0 && fs.openSync(own + '/index.js') > 0",
      true,
    ],
    ['creating an existing folder', 'fs.mkdirSync(own, { recursive: true }); return true', true],
    [
      'writing to a descriptor',
      "const file = fs.openSync(folder + '/d', 'w'); fs.writeFileSync(file, 'a'); return true",
      true,
    ],
    ['writing to /dev/null', "fs.writeFileSync('/dev/null', 'a'); return true", true],
    ['removing a missing file', "await promises.rm(own + '/none', { force: true }); return true", true],
  ])('allows %s', async (_what, code, value) => {
    expect(await run(code)).toEqual({ value });
  });

  test('fails with ENOENT for a missing file', async () => {
    expect(await run("fs.unlinkSync(own + '/none')")).toMatchObject({ code: 'ENOENT' });
  });
});

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

describe('A frozen instance', () => {
  test('runs no timers until the next invocation', async () => {
    const lambda = await start({
      ticking: `const ticks = []; let late;
        exports.handler = async ({ begin }) => {
          const seen = { ticks: [...ticks], late };
          if (begin) { setInterval(() => ticks.push(Date.now()), 50); setTimeout(() => { late = Date.now(); }, 100); }
          return seen;
        };`,
    });
    expect(await lambda.invoke('ticking', { begin: true })).toEqual({ ticks: [] });
    await pause(300);
    const thawed = Date.now();
    const { ticks, late } = (await lambda.invoke('ticking', {})) as { ticks: number[]; late: number };
    // How many run then depends on how long the thaw takes.
    expect(Math.min(late, ...ticks)).toBeGreaterThanOrEqual(thawed);
    expect(ticks.length).toBeGreaterThan(0);
  });

  test('settles no promises: work that is not awaited pauses', async () => {
    const lambda = await start({
      careless: `const steps = [];
        const work = async () => { for (let n = 0; n < 100; n++) { await null; steps.push(n); } };
        exports.handler = async () => { void work(); return steps.length; };`,
    });
    const first = await lambda.invoke('careless', {});
    await pause(50);
    expect(first).toBeLessThan(100);
    expect(await lambda.invoke('careless', {})).toBe(100);
  });

  test('neither writes to nor reads from the network', async () => {
    const got: string[] = [];
    const sockets: Socket[] = [];
    const server: Server = createServer((socket) => {
      sockets.push(socket);
      socket.on('data', (chunk) => (got.push(chunk.toString()), socket.write('pong')));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const lambda = await start({
      talking: `const net = require('net'); let socket; let received = 0;
        exports.handler = async ({ port }) => {
          const before = received;
          if (!socket) {
            socket = net.connect(port, '127.0.0.1');
            await new Promise((done) => socket.on('connect', done));
            socket.on('data', () => { received += 1; socket.write('again'); });
          }
          socket.write('ping');
          return before;
        };`,
    });
    const { port } = server.address() as AddressInfo;
    expect(await lambda.invoke('talking', { port })).toBe(0);
    await until(() => got.length > 0);
    await pause(100);
    expect(got.join('')).toBe('ping');
    expect(await lambda.invoke('talking', { port })).toBe(1);
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  });

  test('exists also after an error and after initialisation', async () => {
    const lambda = await start(
      {
        failing: `const ticks = []; setInterval(() => ticks.push(Date.now()), 5);
          exports.handler = async ({ fail }) => { if (fail) throw new Error('no'); return ticks; };`,
      },
      {},
      { maxInstances: 1 },
    );
    await expect(lambda.invoke('failing', { fail: true })).rejects.toThrow('no');
    const frozen = Date.now();
    await pause(200);
    const thawed = Date.now();
    const ticks = (await lambda.invoke('failing', {})) as number[];
    expect(ticks.filter((at) => at > frozen && at < thawed)).toEqual([]);
  });

  test('can be terminated', async () => {
    const lambda = await start({ one: 'exports.handler = async () => 1' }, {}, { idleMs: 20 });
    await lambda.invoke('one', {});
    await pause(60);
    expect(await lambda.invoke('one', {})).toBe(1);
    await expect(lambda.stop?.()).resolves.toBeUndefined();
  });

  test('responds with null to a handler whose promise can never settle, and remains usable', async () => {
    const lambda = await start({
      forgetful: `let calls = 0; exports.handler = async ({ wait }) => { calls += 1; if (wait) await new Promise(() => {}); return calls; };`,
    });
    expect(await lambda.invoke('forgetful', { wait: true })).toBeNull();
    expect(await lambda.invoke('forgetful', {})).toBe(2);
  });
});

test('a callback handler is refused from Node.js 24 on', async () => {
  const source = { old: 'exports.handler = (event, context, callback) => callback(null, 1)' };
  const functions = await startFunctions(source);
  await expect(functions.lambda.invoke('old', {})).rejects.toMatchObject({ type: 'Runtime.CallbackHandlerDeprecated' });
  await functions.remove();
});

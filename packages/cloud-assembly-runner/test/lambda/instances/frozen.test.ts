import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { until } from '../../until';
import { functionsPerTest, startFunctions } from '../inline-functions';

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

describe('A frozen instance', () => {
  const { start } = functionsPerTest();

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

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FunctionError } from '../../../lambda';
import { until } from '../../until';
import { functionsPerTest } from '../inline-functions';

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

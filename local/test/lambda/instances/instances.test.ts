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
      { maxInstances: 2 },
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

  test('serves all functions even with a maximum of one instance', async () => {
    const lambda = await start({ a: instance, b: instance }, {}, { maxTotal: 1 });
    const names = ['a', 'b', 'a', 'b', 'b', 'a'];
    expect(await Promise.all(names.map((name) => lambda.invoke(name, {})))).toHaveLength(6);
  });
});

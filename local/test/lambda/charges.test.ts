import { createMeter } from '../../billing/meter';
import { billedMs } from '../../lambda/charges';
import { functionsPerTest } from './inline-functions';

const { start } = functionsPerTest();

describe('What a function is charged with', () => {
  test('is a request, its time times its memory, and what it and Lambda log', async () => {
    const meter = createMeter();
    const source = `exports.handler = async () => { console.log('x'.repeat(74)); await new Promise((r) => setTimeout(r, 100)); }`;
    const properties = { MemorySize: 2048, LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'WARN' } };
    const lambda = await start({ slow: source }, properties, {}, undefined, meter);
    await lambda.invoke('slow', {});
    await lambda.invoke('slow', {});
    const used = meter.usage()['slow'] ?? {};
    expect(used).toMatchObject({ 'lambda:requests': 2, 'logs:bytes': 200, 'xray:traces': 0 });
    // 2 GB for 100 ms or little more, twice.
    expect(used['lambda:gbSeconds']).toBeGreaterThanOrEqual(0.4);
    expect(used['lambda:gbSeconds']).toBeLessThan(1);
    expect(used['lambda:processorSeconds']).toBeLessThan(0.2);
    expect(used['lambda:waitingSeconds']).toBeGreaterThan(0.15);
    expect(used['lambda:initGbSeconds']).toBeGreaterThan(0);
  });

  test('has events of Lambda in its log, and traces, unless its configuration leaves them out', async () => {
    const meter = createMeter();
    const lambda = await start(
      { one: 'exports.handler = () => 1' },
      { TracingConfig: { Mode: 'Active' } },
      {},
      undefined,
      meter,
    );
    await lambda.invoke('one', {});
    expect(meter.usage()['one']).toMatchObject({ 'logs:bytes': 450, 'xray:traces': 1 });
  });

  test('has no time between two invocations, while it is frozen', async () => {
    const meter = createMeter();
    const lambda = await start({ one: 'exports.handler = async () => 1' }, { MemorySize: 1024 }, {}, undefined, meter);
    await lambda.invoke('one', {});
    const before = meter.usage()['one']?.['lambda:gbSeconds'] ?? NaN;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await lambda.invoke('one', {});
    expect((meter.usage()['one']?.['lambda:gbSeconds'] ?? NaN) - before).toBeLessThan(0.9);
  });
});

describe('Billed duration', () => {
  test('is longer by the part of a processor that the memory gives, and in whole milliseconds', () => {
    expect(billedMs({ ms: 10.2, processorMs: 4 }, 1769)).toBe(11);
    expect(billedMs({ ms: 10, processorMs: 4 }, 884.5)).toBe(14);
    expect(billedMs({ ms: 10, processorMs: 4 }, 3008)).toBe(10);
  });
});

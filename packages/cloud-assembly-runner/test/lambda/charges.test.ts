import { createMeter } from '../../billing/meter';
import { billedMs, createFunctionCharges } from '../../lambda/charges';
import { functionsPerTest } from './inline-functions';

const { start } = functionsPerTest();

describe('What a function is charged with', () => {
  test('is a request, its time times its memory, and what it and Lambda log', () => {
    const meter = createMeter();
    const charges = createFunctionCharges(meter, {
      functionName: 'slow',
      memorySize: 2048,
      logFormat: 'JSON',
      systemLogLevel: 'WARN',
      traced: false,
    });
    const spent = { ms: 100.2, processorMs: 10, logLines: 1, logBytes: 74 };
    charges.invoked(spent);
    charges.invoked(spent);
    const used = meter.usage()['slow'] ?? {};
    expect(used).toMatchObject({ 'lambda:requests': 2, 'logs:bytes': 200, 'xray:traces': 0 });
    // 2 GB for 101 ms, twice.
    expect(used['lambda:gbSeconds']).toBeCloseTo(0.404, 9);
    expect(used['lambda:processorSeconds']).toBeCloseTo(0.02, 9);
    expect(used['lambda:waitingSeconds']).toBeCloseTo(0.1804, 9);
    charges.initialised(spent);
    expect(meter.usage()['slow']?.['lambda:initGbSeconds']).toBeCloseTo(0.202, 9);
  });

  test('is what an instance measured of itself: its waiting is no time on a processor', async () => {
    const meter = createMeter();
    const source = `exports.handler = async () => { console.log('x'.repeat(74)); await new Promise((r) => setTimeout(r, 500)); }`;
    const properties = { MemorySize: 2048, LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'WARN' } };
    const lambda = await start({ slow: source }, properties, {}, undefined, meter);
    const begun = performance.now();
    await lambda.invoke('slow', {});
    const elapsed = (performance.now() - begun) / 1000;
    const used = meter.usage()['slow'] ?? {};
    expect(used).toMatchObject({ 'lambda:requests': 1, 'logs:bytes': 100 });
    // What is measured is less than the elapsed time on a busy machine, where the thread waits for a processor.
    const [waiting, processor] = [used['lambda:waitingSeconds'] ?? NaN, used['lambda:processorSeconds'] ?? NaN];
    expect(waiting).toBeGreaterThan(processor);
    expect(used['lambda:gbSeconds']).toBeGreaterThanOrEqual(2 * (waiting + processor));
    expect(used['lambda:gbSeconds']).toBeLessThanOrEqual(2 * (elapsed + 0.001));
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

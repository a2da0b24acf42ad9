import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RequestTooLarge, FunctionTimedOut } from '../../lambda';
import { parsePolicy } from '../../iam/policy';
import { until } from '../until';
import { arnOf, functionsPerTest, functionOf } from './inline-functions';
import { createMeter } from '../../billing/meter';
import { billedMs, createFunctionCharges } from '../../lambda/charges';

describe('Lambda', () => {
  const { start, printed } = functionsPerTest();

  describe('A function', () => {
    test('receives event and context and returns its result as JSON', async () => {
      const lambda = await start({
        echo: `exports.handler = async (event, context) => ({ event, gone: undefined, name: context.functionName,
        arn: context.invokedFunctionArn, memory: context.memoryLimitInMB, id: context.awsRequestId,
        left: context.getRemainingTimeInMillis() });`,
      });
      expect(await lambda.invoke(arnOf('echo'), { a: 1, b: undefined })).toEqual({
        event: { a: 1 },
        name: 'echo',
        arn: arnOf('echo'),
        memory: '128',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        left: expect.any(Number) as number,
      });
    });

    test('is invoked by name or ARN, and an unknown one is an error', async () => {
      const lambda = await start({ known: 'exports.handler = async () => "here"' });
      expect(await lambda.invoke('known', {})).toBe('here');
      await expect(lambda.invoke('unknown', {})).rejects.toMatchObject({ type: 'ResourceNotFoundException' });
    });

    test('has a dead-letter queue when its configuration names one', async () => {
      const queue = 'arn:aws:sqs:eu-central-1:000000000000:failures';
      const lambda = await start(
        { one: 'exports.handler = async () => 1' },
        { DeadLetterConfig: { TargetArn: queue } },
      );
      expect(lambda.deadLetterQueueOf(arnOf('one'))).toBe(queue);
      expect(lambda.deadLetterQueueOf('unknown')).toBeUndefined();
    });

    test.each([
      ['starts', 'failures'],
      ['does not start', 'others'],
    ])('%s when its role may send to the queue %s and its dead-letter queue is failures', async (outcome, allowed) => {
      const arn = (name: string) => `arn:aws:sqs:eu-central-1:000000000000:${name}`;
      const statement = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: arn(allowed) };
      const starting = start(
        { one: 'exports.handler = async () => 1' },
        { DeadLetterConfig: { TargetArn: arn('failures') } },
        ...([
          {},
          undefined,
          undefined,
          () => [parsePolicy({ Version: '2012-10-17', Statement: [statement] })],
        ] as const),
      );
      if (outcome === 'starts') await expect(starting).resolves.toBeDefined();
      else await expect(starting).rejects.toThrow(`the role of ${arnOf('one')} does not allow sqs:SendMessage`);
    });

    test('may be in another file of its asset', async () => {
      const lambda = await start({ other: 'exports.greet = async () => "hello"' }, { Handler: 'index.greet' });
      expect(await lambda.invoke('other', {})).toBe('hello');
    });

    test('has its own environment and none of the parent process', async () => {
      process.env['LEAKED'] = 'no';
      const lambda = await start(
        { one: 'exports.handler = async () => process.env', two: 'exports.handler = async () => process.env' },
        { MemorySize: 256, Environment: { Variables: { TABLE: 'jobs' } } },
      );
      const environment = (await lambda.invoke('one', {})) as Record<string, string>;
      delete process.env['LEAKED'];
      expect(environment).toMatchObject({
        TABLE: 'jobs',
        AWS_REGION: 'eu-central-1',
        AWS_LAMBDA_FUNCTION_NAME: 'one',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '256',
        AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
        AWS_ACCESS_KEY_ID: `key of ${arnOf('one')}`,
      });
      expect(
        Object.keys(environment).filter((name) => !/^(AWS_|_HANDLER$|_X_AMZN_TRACE_ID$|TABLE$|PATH$|TZ$)/.test(name)),
      ).toEqual([]);
      expect(await lambda.invoke('two', {})).toMatchObject({ AWS_ACCESS_KEY_ID: `key of ${arnOf('two')}` });
    });

    test('writes its output to the log file, each line with its name', async () => {
      const lambda = await start({
        talker: 'exports.handler = async () => { console.log("one\\ntwo"); console.error("three"); }',
      });
      await lambda.invoke('talker', {});
      expect(printed()).toBe('talker one\ntalker two\ntalker three\n');
    });
  });

  const sleep = 'const sleep = (ms) => new Promise((done) => setTimeout(done, ms));';

  describe('A failed invocation', () => {
    test('rejects with type and message of the handler’s error, and the instance remains usable', async () => {
      const lambda = await start({
        picky: `let calls = 0; exports.handler = async ({ fail }) => { calls += 1; if (fail) throw new TypeError('no'); return calls; }`,
      });
      await expect(lambda.invoke('picky', { fail: true })).rejects.toMatchObject({ type: 'TypeError', message: 'no' });
      expect(await lambda.invoke('picky', {})).toBe(2);
      expect(printed()).toContain('"errorType":"TypeError"');
    });

    test.each([
      [
        'an unhandled rejection',
        'Promise.reject(new Error("lost")); await new Promise(() => {});',
        'Runtime.UnhandledException',
      ],
      ['an exit', 'process.exit(3);', 'Runtime.ExitError'],
    ])('because of %s ends only its own instance, and is logged', async (_what, code, type) => {
      const lambda = await start({
        fragile: `${sleep} exports.handler = async ({ fail }) => { if (fail) { ${code} } await sleep(50); return 'fine'; }`,
      });
      const others = [lambda.invoke('fragile', {}), lambda.invoke('fragile', {})];
      await expect(lambda.invoke('fragile', { fail: true })).rejects.toMatchObject({ type });
      expect(await Promise.all(others)).toEqual(['fine', 'fine']);
      expect(await lambda.invoke('fragile', {})).toBe('fine');
      expect(printed()).toMatch(new RegExp(`fragile .*"requestId":"[0-9a-f-]{36}".*"errorType":"${type}"`));
    });

    test('because of a timeout ends the instance', async () => {
      const lambda = await start(
        {
          slow: 'exports.handler = async ({ spin }) => { while (spin); return process.env.AWS_LAMBDA_FUNCTION_NAME; }',
        },
        { Timeout: 57.5 },
        { maxInstances: 1 },
      );
      // The time passes for the first call only, however long the second one takes.
      const timers = jest.spyOn(globalThis, 'setTimeout');
      const timeout = () => (timers.mock.calls as [() => void, number][]).find(([, delay]) => delay === 57_500)?.[0];
      const outcome = expect(lambda.invoke('slow', { spin: true })).rejects.toThrow(FunctionTimedOut);
      await until(() => timeout() !== undefined);
      timeout()?.();
      timers.mockRestore();
      await outcome;
      expect(await lambda.invoke('slow', {})).toBe('slow');
      expect(printed()).toContain('Task timed out after 57.50 seconds');
    });

    test('because the code does not load has the reason', async () => {
      const lambda = await start({ broken: 'throw new SyntaxError("bad code")', empty: '' });
      await expect(lambda.invoke('broken', {})).rejects.toMatchObject({ type: 'SyntaxError', message: 'bad code' });
      await expect(lambda.invoke('empty', {})).rejects.toMatchObject({ type: 'Runtime.HandlerNotFound' });
    });

    test('because of an event or result over 6 MB has Lambda’s error', async () => {
      const lambda = await start({ big: 'exports.handler = async ({ size }) => "x".repeat(size)' });
      const tooMuch = 6 * 1024 * 1024 + 101;
      await expect(lambda.invoke('big', 'x'.repeat(tooMuch))).rejects.toThrow(RequestTooLarge);
      await expect(lambda.invoke('big', { size: tooMuch })).rejects.toMatchObject({
        type: 'Function.ResponseSizeTooLarge',
      });
      await expect(lambda.invoke('big', { size: 1000 })).resolves.toHaveLength(1000);
    });
  });
});

describe('Charges', () => {
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
      const lambda = await start(
        { one: 'exports.handler = async () => 1' },
        { MemorySize: 1024 },
        {},
        undefined,
        meter,
      );
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
});

describe('The template', () => {
  const { start, folder: codeFolder } = functionsPerTest();

  test('is refused with more than 250 MB of code', async () => {
    const lambda = await start({});
    const folder = codeFolder();
    const big = functionOf(folder, 'big', '');
    mkdirSync(join(folder, 'big', 'deep'));
    const file = join(folder, 'big', 'deep', 'data');
    writeFileSync(file, '');
    truncateSync(file, 250 * 1024 * 1024);
    await lambda.create(big);
    truncateSync(file, 250 * 1024 * 1024 + 1);
    expect(() => lambda.create(big)).toThrow('big: the code has 262144001 bytes, Lambda allows 262144000');
  });

  test('is refused with a function policy of more than 20 KB', async () => {
    const lambda = await start({ f: 'exports.handler = async () => 1' });
    const SourceArn = `arn:aws:execute-api:eu-central-1:000000000000:api/live/GET/${'x'.repeat(200)}`;
    const add = () => lambda.create(permission({ Principal: 'apigateway.amazonaws.com', SourceArn }));
    for (let n = 0; n < 35; n++) await add();
    expect(() => {
      for (let n = 0; n < 15; n++) void add();
    }).toThrow(/Permission: the policy of f has 2\d{4} bytes, Lambda allows 20480/);
  });

  const permission = (properties: object) => ({
    logicalId: 'Permission',
    type: 'AWS::Lambda::Permission',
    properties: { Action: 'lambda:InvokeFunction', FunctionName: arnOf('f'), ...properties },
    metadata: {},
  });

  test('allows a service to invoke a function for the named ARNs', async () => {
    const lambda = await start({ f: 'exports.handler = async () => 1' });
    await lambda.create(
      permission({ Principal: 'apigateway.amazonaws.com', SourceArn: 'arn:aws:execute-api:*/live/GET/*' }),
    );
    expect(lambda.permits('f', 'apigateway.amazonaws.com', 'arn:aws:execute-api:x/live/GET/jobs')).toBe(true);
    expect(lambda.permits('f', 'apigateway.amazonaws.com', 'arn:aws:execute-api:x/live/POST/jobs')).toBe(false);
    expect(lambda.permits('f', 'events.amazonaws.com', 'arn:aws:execute-api:x/live/GET/jobs')).toBe(false);
    expect(lambda.permits('g', 'apigateway.amazonaws.com', 'arn:aws:execute-api:x/live/GET/jobs')).toBe(false);
  });

  test.each([
    [
      'a variable reserved since',
      { Environment: { Variables: { LAMBDA_TASK_ROOT: 'x' } } },
      'LAMBDA_TASK_ROOT is reserved',
    ],
    [
      'a variable that names the default region',
      { Environment: { Variables: { AWS_DEFAULT_REGION: 'x' } } },
      'is reserved',
    ],
    ['a variable of one letter', { Environment: { Variables: { X: '1' } } }, 'X is not a valid variable name'],
    ['a name of 65 characters', { FunctionName: 'f'.repeat(65) }, '64 letters'],
    ['more time than a quarter of an hour', { Timeout: 901 }, 'Timeout'],
    ['too little memory', { MemorySize: 127 }, 'MemorySize'],
    ['a reserved variable', { Environment: { Variables: { AWS_REGION: 'x' } } }, 'AWS_REGION is reserved'],
    ['too large an environment', { Environment: { Variables: { XY: 'x'.repeat(4095) } } }, '4097 bytes'],
    ['another runtime', { Runtime: 'python3.13' }, 'Runtime'],
  ])('with %s is refused', async (_what, properties, message) => {
    const lambda = await start({});
    const folder = codeFolder();
    expect(() => lambda.create(functionOf(folder, 'f', '', properties))).toThrow(message);
  });
});

import { RequestTooLarge, FunctionTimedOut } from '../../lambda';
import { parsePolicy } from '../../iam/policy';
import { until } from '../until';
import { arnOf, functionsPerTest } from './inline-functions';

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
    const lambda = await start({ one: 'exports.handler = async () => 1' }, { DeadLetterConfig: { TargetArn: queue } });
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
      ...([{}, undefined, undefined, () => [parsePolicy({ Version: '2012-10-17', Statement: [statement] })]] as const),
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
      { slow: 'exports.handler = async ({ spin }) => { while (spin); return process.env.AWS_LAMBDA_FUNCTION_NAME; }' },
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

import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FunctionError, RequestTooLarge, TimedOut } from '../../local/lambda';
import { arnOf, functionOf, startFunctions, type InlineFunctions } from './inline-functions';

let functions: InlineFunctions | undefined;

async function start(...args: Parameters<typeof startFunctions>) {
  functions = await startFunctions(...args);
  return functions.lambda;
}

afterEach(async () => {
  await functions?.remove();
  functions = undefined;
});

const sleep = 'const sleep = (ms) => new Promise((done) => setTimeout(done, ms));';
/** Tells which instance answered and how many calls it had so far. */
const counting = `let calls = 0; const instance = Math.random(); ${sleep}
  exports.handler = async ({ ms }) => { calls += 1; await sleep(ms ?? 0); return { calls, instance }; };`;

interface Count {
  readonly calls: number;
  readonly instance: number;
}

describe('a function', () => {
  it('gets the event and the context and gives its result as JSON', async () => {
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

  it('is called by its name as well, and an unknown one is an error', async () => {
    const lambda = await start({ known: 'exports.handler = async () => "here"' });
    expect(await lambda.invoke('known', {})).toBe('here');
    await expect(lambda.invoke('unknown', {})).rejects.toMatchObject({ type: 'ResourceNotFoundException' });
  });

  it('has a queue for what it fails at when its configuration names one', async () => {
    const queue = 'arn:aws:sqs:eu-central-1:000000000000:failures';
    const lambda = await start({ one: 'exports.handler = async () => 1' }, { DeadLetterConfig: { TargetArn: queue } });
    expect(lambda.deadLetterQueueOf(arnOf('one'))).toBe(queue);
    expect(lambda.deadLetterQueueOf('unknown')).toBeUndefined();
  });

  it('may come from another file of its asset', async () => {
    const lambda = await start({ other: 'exports.greet = async () => "hello"' }, { Handler: 'index.greet' });
    expect(await lambda.invoke('other', {})).toBe('hello');
  });

  it('sees its own environment and nothing of the process that runs it', async () => {
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

  it('prints to the log file, each line with its name', async () => {
    const lambda = await start({
      talker: 'exports.handler = async () => { console.log("one\\ntwo"); console.error("three"); }',
    });
    await lambda.invoke('talker', {});
    expect(functions?.printed()).toBe('talker one\ntalker two\ntalker three\n');
  });
});

describe('a call that fails', () => {
  it('gives the type and message of what the handler threw, and the instance lives on', async () => {
    const lambda = await start({
      picky: `let calls = 0; exports.handler = async ({ fail }) => { calls += 1; if (fail) throw new TypeError('no'); return calls; }`,
    });
    await expect(lambda.invoke('picky', { fail: true })).rejects.toMatchObject({ type: 'TypeError', message: 'no' });
    expect(await lambda.invoke('picky', {})).toBe(2);
    expect(functions?.printed()).toContain('"errorType":"TypeError"');
  });

  it.each([
    [
      'an unhandled rejection',
      'Promise.reject(new Error("lost")); await new Promise(() => {});',
      'Runtime.UnhandledException',
    ],
    ['an exit', 'process.exit(3);', 'Runtime.ExitError'],
  ])('because of %s takes only its own instance with it, and is noted', async (_what, code, type) => {
    const lambda = await start({
      fragile: `${sleep} exports.handler = async ({ fail }) => { if (fail) { ${code} } await sleep(50); return 'fine'; }`,
    });
    const others = [lambda.invoke('fragile', {}), lambda.invoke('fragile', {})];
    await expect(lambda.invoke('fragile', { fail: true })).rejects.toMatchObject({ type });
    expect(await Promise.all(others)).toEqual(['fine', 'fine']);
    expect(await lambda.invoke('fragile', {})).toBe('fine');
    expect(functions?.printed()).toMatch(new RegExp(`fragile .*"requestId":"[0-9a-f-]{36}".*"errorType":"${type}"`));
  });

  it('because time is up ends the instance', async () => {
    const lambda = await start(
      { slow: 'exports.handler = async ({ spin }) => { while (spin); return process.env.AWS_LAMBDA_FUNCTION_NAME; }' },
      { Timeout: 0.2 },
      { maxInstances: 1 },
    );
    await expect(lambda.invoke('slow', { spin: true })).rejects.toThrow(TimedOut);
    expect(await lambda.invoke('slow', {})).toBe('slow');
    expect(functions?.printed()).toContain('Task timed out after 0.20 seconds');
  });

  it('because the code does not load says why', async () => {
    const lambda = await start({ broken: 'throw new SyntaxError("bad code")', empty: '' });
    await expect(lambda.invoke('broken', {})).rejects.toMatchObject({ type: 'SyntaxError', message: 'bad code' });
    await expect(lambda.invoke('empty', {})).rejects.toMatchObject({ type: 'Runtime.HandlerNotFound' });
  });

  it('because the event or the result is larger than 6 MB says so', async () => {
    const lambda = await start({ big: 'exports.handler = async ({ size }) => "x".repeat(size)' });
    const tooMuch = 6 * 1024 * 1024 + 101;
    await expect(lambda.invoke('big', 'x'.repeat(tooMuch))).rejects.toThrow(RequestTooLarge);
    await expect(lambda.invoke('big', { size: tooMuch })).rejects.toMatchObject({
      type: 'Function.ResponseSizeTooLarge',
    });
    await expect(lambda.invoke('big', { size: 1000 })).resolves.toHaveLength(1000);
  });
});

describe('instances', () => {
  it('are reused for one call after the other', async () => {
    const lambda = await start({ counting });
    await lambda.invoke('counting', {});
    await lambda.invoke('counting', {});
    expect(await lambda.invoke('counting', {})).toMatchObject({ calls: 3 });
  });

  it('serve one call at a time and are at most as many as allowed, the rest wait in order', async () => {
    const lambda = await start(
      {
        counting: `let busy = 0; const instance = Math.random(); ${sleep}
          exports.handler = async ({ n }) => { busy += 1; const together = busy; await sleep(40); busy -= 1; return { n, instance, together }; };`,
      },
      {},
      { maxInstances: 2 },
    );
    const finished: number[] = [];
    const calls = Array.from({ length: 8 }, async (_, n) => {
      const answer = (await lambda.invoke('counting', { n })) as { n: number; instance: number; together: number };
      finished.push(n);
      return answer;
    });
    const answers = await Promise.all(calls);
    expect(new Set(answers.map(({ together }) => together))).toEqual(new Set([1]));
    expect(new Set(answers.map(({ instance }) => instance)).size).toBe(2);
    expect(answers.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(finished.slice(0, 2).every((n) => n < 4)).toBe(true);
    expect(finished.slice(-2).every((n) => n >= 4)).toBe(true);
  });

  it('without work are ended', async () => {
    const lambda = await start({ counting }, {}, { idleMs: 30 });
    const first = (await lambda.invoke('counting', {})) as Count;
    await new Promise((done) => setTimeout(done, 200));
    const second = (await lambda.invoke('counting', {})) as Count;
    expect(second.instance).not.toBe(first.instance);
  });
});

describe('the template', () => {
  it('has no function with more than 250 MB of code', async () => {
    const lambda = await start({});
    const folder = functions?.folder ?? '';
    const big = functionOf(folder, 'big', '');
    mkdirSync(join(folder, 'big', 'deep'));
    const file = join(folder, 'big', 'deep', 'data');
    writeFileSync(file, '');
    truncateSync(file, 250 * 1024 * 1024);
    await lambda.create(big);
    truncateSync(file, 250 * 1024 * 1024 + 1);
    expect(() => lambda.create(big)).toThrow('big: its code has 262144001 bytes, Lambda takes 262144000');
  });

  it('lets no function have a policy of more than 20 KB', async () => {
    const lambda = await start({ f: 'exports.handler = async () => 1' });
    const SourceArn = `arn:aws:execute-api:eu-central-1:000000000000:api/live/GET/${'x'.repeat(200)}`;
    const add = () => lambda.create(permission({ Principal: 'apigateway.amazonaws.com', SourceArn }));
    for (let n = 0; n < 35; n++) await add();
    expect(() => {
      for (let n = 0; n < 15; n++) void add();
    }).toThrow(/Permission: the policy of f has 2\d{4} bytes, Lambda takes 20480/);
  });

  const permission = (properties: object) => ({
    logicalId: 'Permission',
    type: 'AWS::Lambda::Permission',
    properties: { Action: 'lambda:InvokeFunction', FunctionName: arnOf('f'), ...properties },
    metadata: {},
  });

  it('permits a service to call a function for the ARNs that it names', async () => {
    const lambda = await start({ f: 'exports.handler = async () => 1' });
    await lambda.create(
      permission({ Principal: 'apigateway.amazonaws.com', SourceArn: 'arn:aws:execute-api:*/live/GET/*' }),
    );
    expect(lambda.permits('f', 'apigateway.amazonaws.com', 'arn:aws:execute-api:x/live/GET/jobs')).toBe(true);
    expect(lambda.permits('f', 'apigateway.amazonaws.com', 'arn:aws:execute-api:x/live/POST/jobs')).toBe(false);
    expect(lambda.permits('f', 'events.amazonaws.com', 'arn:aws:execute-api:x/live/GET/jobs')).toBe(false);
    expect(lambda.permits('g', 'apigateway.amazonaws.com', 'arn:aws:execute-api:x/live/GET/jobs')).toBe(false);
  });

  it.each([
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
    ['a variable of one letter', { Environment: { Variables: { X: '1' } } }, 'X is no name'],
    ['a name of 65 characters', { FunctionName: 'f'.repeat(65) }, '64 letters'],
    ['more time than a quarter of an hour', { Timeout: 901 }, 'Timeout'],
    ['too little memory', { MemorySize: 127 }, 'MemorySize'],
    ['a reserved variable', { Environment: { Variables: { AWS_REGION: 'x' } } }, 'AWS_REGION is reserved'],
    ['too large an environment', { Environment: { Variables: { XY: 'x'.repeat(4095) } } }, '4097 bytes'],
    ['another runtime', { Runtime: 'python3.13' }, 'Runtime'],
  ])('with %s is refused', async (_what, properties, message) => {
    const lambda = await start({});
    const folder = functions?.folder ?? '';
    expect(() => lambda.create(functionOf(folder, 'f', '', properties))).toThrow(message);
  });
});

it('is an error of a function when the instance ends under a call', async () => {
  const lambda = await start({ endless: 'exports.handler = () => new Promise(() => setInterval(() => {}, 1000))' });
  const call = lambda.invoke('endless', {});
  const failed = expect(call).rejects.toThrow(FunctionError);
  await new Promise((done) => setTimeout(done, 100));
  await lambda.stop?.();
  await failed;
});

describe('one machine', () => {
  const instance = 'const instance = Math.random(); exports.handler = async () => instance';

  it('ends the instance that is idle longest when a function without one needs the room', async () => {
    const lambda = await start({ a: instance, b: instance, c: instance }, {}, { maxTotal: 2 });
    const a = await lambda.invoke('a', {});
    const b = await lambda.invoke('b', {});
    await lambda.invoke('c', {});
    expect(await lambda.invoke('b', {})).toBe(b);
    expect(await lambda.invoke('a', {})).not.toBe(a);
  });

  it('serves all functions even when it has room for one instance', async () => {
    const lambda = await start({ a: instance, b: instance }, {}, { maxTotal: 1 });
    const names = ['a', 'b', 'a', 'b', 'b', 'a'];
    expect(await Promise.all(names.map((name) => lambda.invoke(name, {})))).toHaveLength(6);
  });
});

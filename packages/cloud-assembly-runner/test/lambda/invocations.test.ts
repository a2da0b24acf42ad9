import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { InvokeCommand, LambdaClient, type InvokeCommandInput, type InvokeCommandOutput } from '@aws-sdk/client-lambda';
import { createAwsEndpoint, type Credentials } from '../../aws-endpoint';
import { createLambda, FunctionError, RecursiveInvocation, TooManyRequests, type Lambda } from '../../lambda';
import { createLambdaApi } from '../../lambda/api';
import { parsePolicy } from '../../iam/policy';
import { accountId, arnOf, functionOf, region, startFunctions, type InlineFunctions } from './inline-functions';
import { until } from '../until';
import { createAsyncInvoker } from '../../lambda/async-invoker';

const greet = `exports.handler = async (event) => { console.log('called with', JSON.stringify(event)); }`;
const broken = `exports.handler = async () => { console.log('called'); throw new Error('boom'); }`;
const echo = `exports.handler = async (event) => ({ was: event });`;
const resultOf = ({ Payload }: InvokeCommandOutput) => JSON.parse(Buffer.from(Payload ?? []).toString()) as unknown;
/** Output of the functions; empty while there is no log file. */
const printedBy = ({ folder }: InlineFunctions) => {
  const file = join(folder, 'functions.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const limits = (FunctionName: string, more: object) => ({
  logicalId: `${FunctionName}Limits`,
  type: 'AWS::Lambda::EventInvokeConfig',
  properties: { FunctionName, Qualifier: '$LATEST', ...more },
  metadata: {},
});

describe('The Lambda API', () => {
  const endpoint = createAwsEndpoint();
  const log: string[] = [];
  const clients: LambdaClient[] = [];
  let functions: InlineFunctions;
  let api: ReturnType<typeof createLambdaApi>;
  const clientOf = (credentials: Credentials) => {
    const client = new LambdaClient({ endpoint: endpoint.url, region: 'eu-central-1', credentials, maxAttempts: 1 });
    clients.push(client);
    return client;
  };
  const invoke = (input: Partial<InvokeCommandInput>, credentials = endpoint.admin) =>
    clientOf(credentials).send(
      new InvokeCommand({ FunctionName: 'greet', InvocationType: 'Event', Payload: Buffer.from('{"a":1}'), ...input }),
    );

  beforeAll(async () => {
    functions = await startFunctions({ greet, broken, faulty: broken, echo });
    await functions.lambda.create(limits('broken', { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 }));
    api = createLambdaApi({ lambda: functions.lambda, log: (line) => log.push(line) });
    endpoint.add(api);
    await endpoint.start();
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
    log.length = 0;
  });
  afterAll(async () => {
    await api.stop?.();
    await endpoint.stop();
    await functions.remove();
  });

  test.each([
    ['name', 'greet'],
    ['ARN', arnOf('greet')],
  ])('invokes a function by its %s without waiting for it', async (_, FunctionName) => {
    const event = JSON.stringify({ by: FunctionName });
    const { StatusCode, Payload } = await invoke({ FunctionName, Payload: Buffer.from(event) });
    expect([StatusCode, Payload?.length ?? 0]).toEqual([202, 0]);
    await until(() => printedBy(functions).includes(`called with ${event}`));
  });

  test.each([
    ['name', 'echo', undefined],
    ['name with $LATEST', 'echo:$LATEST', undefined],
    ['name and the qualifier $LATEST', 'echo', '$LATEST'],
    ['partial ARN', `${accountId}:function:echo`, undefined],
    ['ARN', arnOf('echo'), undefined],
    ['qualified ARN', `${arnOf('echo')}:$LATEST`, undefined],
  ])('invokes a function by its %s and answers with its result', async (_, FunctionName, Qualifier) => {
    const answer = await invoke({ FunctionName, Qualifier, InvocationType: undefined });
    expect(answer).toMatchObject({ StatusCode: 200, ExecutedVersion: '$LATEST' });
    expect([resultOf(answer), answer.FunctionError]).toEqual([{ was: { a: 1 } }, undefined]);
  });

  test('answers with the error of a function that fails, and does not retry it', async () => {
    const answer = await invoke({ FunctionName: 'faulty', InvocationType: 'RequestResponse' });
    expect(answer).toMatchObject({ StatusCode: 200, FunctionError: 'Unhandled', ExecutedVersion: '$LATEST' });
    expect(resultOf(answer)).toEqual({ errorType: 'Error', errorMessage: 'boom', trace: [] });
    expect(printedBy(functions).match(/^faulty called$/gm)).toHaveLength(1);
  });

  test('checks a call without invoking the function when it is a dry run', async () => {
    const before = printedBy(functions);
    const { StatusCode, Payload } = await invoke({ InvocationType: 'DryRun' });
    expect([StatusCode, Payload?.length ?? 0]).toEqual([204, 0]);
    expect(printedBy(functions)).toBe(before);
  });

  test('refuses a synchronous invocation beyond the concurrency of the account', async () => {
    const throttled = await startFunctions({ greet }, {}, {}, { concurrentExecutions: 0 });
    const call = { service: 'lambda', method: 'POST', path: '/2015-03-31/functions/greet/invocations', headers: {} };
    const api = createLambdaApi({ lambda: throttled.lambda, log: () => undefined });
    expect(await api.answer({ ...call, body: Buffer.from('{}') })).toMatchObject({ status: 429 });
    await throttled.remove();
  });

  test('does not retry a failed function when its EventInvokeConfig allows no retries', async () => {
    expect(await invoke({ FunctionName: 'broken' })).toMatchObject({ StatusCode: 202 });
    await until(() => log.length > 0);
    expect(log).toEqual([`${arnOf('broken')} failed, no more retries: Error`]);
    expect(printedBy(functions).match(/^broken called$/gm)).toHaveLength(1);
  });

  test.each([
    ['an unknown function', { FunctionName: 'gone' }, 404, 'ResourceNotFoundException'],
    ['an event that is not JSON', { Payload: Buffer.from('{') }, 400, 'InvalidRequestContentException'],
    [
      'an event of more than a megabyte',
      { Payload: Buffer.alloc(1024 * 1024 + 1, '1') },
      413,
      'RequestTooLargeException',
    ],
    [
      'a synchronous event of more than six megabytes',
      { InvocationType: 'RequestResponse' as const, Payload: Buffer.alloc(6 * 1024 * 1024 + 1, '1') },
      413,
      'RequestTooLargeException',
    ],
    ['an alias', { FunctionName: 'greet:live' }, 404, 'ResourceNotFoundException'],
    ['a version', { Qualifier: '1' }, 404, 'ResourceNotFoundException'],
    [
      'a function of another account',
      { FunctionName: '999999999999:function:greet' },
      404,
      'ResourceNotFoundException',
    ],
    [
      'two different qualifiers',
      { FunctionName: 'greet:$LATEST', Qualifier: '1' },
      400,
      'InvalidParameterValueException',
    ],
    ['an unknown invocation type', { InvocationType: 'Later' as 'Event' }, 400, 'InvalidParameterValueException'],
    ['the end of the log', { LogType: 'Tail' as const }, 501, 'NotImplemented'],
    ['a client context', { ClientContext: 'e30=' }, 501, 'NotImplemented'],
    [
      'a dry run of an unknown function',
      { InvocationType: 'DryRun' as const, FunctionName: 'gone' },
      404,
      'ResourceNotFoundException',
    ],
  ])('refuses %s', async (_, input, httpStatusCode, name) => {
    await expect(invoke(input)).rejects.toMatchObject({ name, $metadata: { httpStatusCode } });
  });

  test('requires lambda:InvokeFunction on the function', async () => {
    const may = (Resource: string) => () => [
      parsePolicy({ Statement: { Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource } }),
    ];
    const [own, other] = [arnOf('greet'), arnOf('broken')].map((arn) => endpoint.register(arn, may(arn)));
    expect(await invoke({}, own)).toMatchObject({ StatusCode: 202 });
    await expect(invoke({}, other)).rejects.toMatchObject({ name: 'AccessDeniedException' });
    await expect(invoke({ InvocationType: 'DryRun' }, other)).rejects.toMatchObject({ name: 'AccessDeniedException' });
    // The grant is for the unqualified ARN.
    await expect(invoke({ Qualifier: '$LATEST' }, own)).rejects.toMatchObject({ name: 'AccessDeniedException' });
  });

  test('refuses an event when too many invocations are pending', async () => {
    const stuck: Pick<Lambda, 'invoke' | 'arnOf' | 'has' | 'eventLimitsOf' | 'deadLetterQueueOf'> = {
      invoke: () => new Promise<never>(() => undefined),
      arnOf,
      has: () => true,
      eventLimitsOf: () => ({}),
      deadLetterQueueOf: () => undefined,
    };
    const busy = createLambdaApi({ lambda: stuck, log: (line) => log.push(line) });
    const call = {
      service: 'lambda',
      method: 'POST',
      path: '/2015-03-31/functions/greet/invocations',
      headers: { 'x-amz-invocation-type': 'Event' },
      body: Buffer.from('{}'),
    };
    const answers = await Promise.all(Array.from({ length: 10_001 }, () => busy.answer(call)));
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(10_000).fill(202), 429]);
  });
});

describe('An EventInvokeConfig', () => {
  let functions: InlineFunctions;
  beforeEach(async () => {
    functions = await startFunctions({ greet });
  });
  afterEach(() => functions.remove());

  test('sets retries and maximum event age of asynchronous invocations', async () => {
    await functions.lambda.create(limits('greet', { MaximumRetryAttempts: 1, MaximumEventAgeInSeconds: 60 }));
    const expected = { Qualifier: '$LATEST', MaximumRetryAttempts: 1, MaximumEventAgeInSeconds: 60 };
    expect(functions.lambda.eventLimitsOf('greet')).toEqual(expected);
    expect(functions.lambda.eventLimitsOf(arnOf('greet'))).toEqual(expected);
    expect(functions.lambda.eventLimitsOf('other')).toEqual({});
  });

  test.each([
    ['more than two retries', { MaximumRetryAttempts: 3 }],
    ['less than a minute', { MaximumEventAgeInSeconds: 59 }],
    ['another version', { Qualifier: '1' }],
  ])('with %s is refused', (_, more) => {
    expect(() => functions.lambda.create(limits('greet', more))).toThrow();
  });
});

describe('A function whose code the assembly lacks', () => {
  const folders: string[] = [];
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

  /** A function `late` whose code is elsewhere; `complete` is what the builder reports. */
  async function start(isCompletedLater = true) {
    const assemblyFolder = mkdtempSync(join(tmpdir(), 'late-package-'));
    folders.push(assemblyFolder);
    let complete: (isComplete: boolean) => void = () => undefined;
    const completed = new Promise<boolean>((resolve) => (complete = resolve));
    const lambda = createLambda({
      region,
      accountId,
      assemblyFolder,
      logFile: join(assemblyFolder, 'functions.log'),
      endpointUrl: 'http://127.0.0.1:9',
      credentialsOf: () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
      ...(isCompletedLater && { completed }),
    });
    const code = join(assemblyFolder, 'late');
    const built = join(assemblyFolder, 'built');
    const create = (name: string, isThere: boolean) => {
      const resource = functionOf(assemblyFolder, name, `exports.handler = async () => '${name}'`);
      if (!isThere) renameSync(code, built);
      return lambda.create(resource);
    };
    await create('early', true);
    await create('late', false);
    await lambda.start?.();
    return { lambda, complete, built, build: () => renameSync(built, code) };
  }

  test('is refused where nobody builds it', async () => {
    await expect(start(false)).rejects.toThrow('ENOENT');
  });

  test('lets calls wait until it is there, while others are answered', async () => {
    const { lambda, build } = await start();
    const calls = [lambda.invoke('late', {}), lambda.invoke('late', {})];
    expect(await lambda.invoke('early', {})).toBe('early');
    build();
    expect(await Promise.all(calls)).toEqual(['late', 'late']);
    expect(await lambda.invoke('late', {})).toBe('late');
    await lambda.stop?.();
  });

  test.each([
    ['could not be built', false],
    ['was not built', true],
  ])('fails its calls when the code %s', async (_, isComplete) => {
    const { lambda, complete } = await start();
    const call = lambda.invoke('late', {});
    complete(isComplete);
    await expect(call).rejects.toMatchObject({ type: 'Runtime.ImportModuleError' });
    await lambda.stop?.();
  });

  test('fails its calls when the stack stops, which does not wait for it', async () => {
    const { lambda } = await start();
    const call = lambda.invoke('late', {});
    await Promise.all([lambda.stop?.(), expect(call).rejects.toMatchObject({ type: 'Runtime.ImportModuleError' })]);
  });

  test('fails its calls when the code is larger than Lambda allows', async () => {
    const { lambda, built, build } = await start();
    truncateSync(join(built, 'index.js'), 250 * 1024 * 1024 + 1);
    build();
    await expect(lambda.invoke('late', {})).rejects.toThrow('late: the code has 262144001 bytes');
    await lambda.stop?.();
  });
});

describe('An asynchronous invocation', () => {
  test('is attempted at most three times', async () => {
    const invoke = jest.fn(() => Promise.reject(new Error('boom')));
    const log: string[] = [];
    const calls = createAsyncInvoker({ lambda: { invoke }, log: (line) => log.push(line), retryDelaysMs: [0, 0] });
    calls.invoke('f', { n: 1 });
    await until(() => log.length > 0);
    expect(invoke.mock.calls).toEqual(Array(3).fill(['f', { n: 1 }]));
    expect(log).toEqual([expect.stringContaining('boom')]);
  });

  test('is not retried after success', async () => {
    const invoke = jest.fn(() => Promise.resolve());
    const calls = createAsyncInvoker({ lambda: { invoke }, log: () => undefined, retryDelaysMs: [0, 0] });
    calls.invoke('f', {});
    await calls.stop();
    expect(invoke).toHaveBeenCalledTimes(1);
  });

  test('is not retried after stop, which waits for it', async () => {
    let fail: (error: Error) => void = () => undefined;
    const invoke = jest.fn(() => new Promise<never>((_resolve, reject) => (fail = reject)));
    const log: string[] = [];
    const calls = createAsyncInvoker({ lambda: { invoke }, log: (line) => log.push(line), retryDelaysMs: [0, 0] });
    calls.invoke('f', {});
    const order: string[] = [];
    const ended = calls.stop().then(() => order.push('ended'));
    await new Promise(setImmediate);
    order.push('failed');
    fail(new Error('too late'));
    await ended;
    expect(order).toEqual(['failed', 'ended']);
    calls.invoke('f', {});
    expect(invoke).toHaveBeenCalledTimes(1);
    expect(log).toHaveLength(2);
  });

  test('is refused while 10,000 invocations are pending', () => {
    const invoke = jest.fn(() => new Promise<never>(() => undefined));
    const log: string[] = [];
    const calls = createAsyncInvoker({ lambda: { invoke }, log: (line) => log.push(line) });
    for (let index = 0; index < 10_000; index++) expect(calls.invoke('f', index)).toBe(true);
    expect(calls.invoke('f', 10_000)).toBe(false);
    expect(invoke).toHaveBeenCalledTimes(10_000);
    expect(log).toEqual([expect.stringContaining('too many')]);
  });
});

describe('An event whose asynchronous invocation failed for good', () => {
  const queue = 'arn:aws:sqs:eu-central-1:123456789012:failures';
  const sent: unknown[][] = [];
  const sqs = {
    send: (...message: unknown[]) => {
      sent.push(message);
      return 'id';
    },
  };
  /** Invokes a function that fails with this error, until it is given up. @returns the number of attempts */
  async function attemptsOf(error: Error, limits: object = {}, hours = 7): Promise<number> {
    const invoke = jest.fn(() => Promise.reject(error));
    const lambda = { invoke, eventLimitsOf: () => limits, deadLetterQueueOf: () => queue };
    const calls = createAsyncInvoker({ lambda, sqs, log: () => undefined });
    calls.invoke('f', { n: 1 });
    await jest.advanceTimersByTimeAsync(hours * 3_600_000);
    await calls.stop();
    return invoke.mock.calls.length;
  }
  const attributes = (code: string, message: string) => ({
    RequestID: { DataType: 'String', StringValue: expect.stringMatching(/^[\w-]{36}$/) as string },
    ErrorCode: { DataType: 'Number', StringValue: code },
    ErrorMessage: { DataType: 'String', StringValue: message },
  });

  beforeEach(() => {
    jest.useFakeTimers();
    sent.length = 0;
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('is in the function’s dead-letter queue, unchanged, after three attempts', async () => {
    expect(await attemptsOf(new FunctionError('Error', 'boom'))).toBe(3);
    expect(sent).toEqual([[queue, '{"n":1}', attributes('200', 'boom')]]);
  });

  test('is in the dead-letter queue after six hours of throttling', async () => {
    expect(await attemptsOf(new TooManyRequests(), {}, 5.8)).toBeGreaterThan(70);
    expect(sent).toEqual([]);
    await attemptsOf(new TooManyRequests());
    expect(sent).toEqual([[queue, '{"n":1}', attributes('429', expect.stringContaining('Rate') as string)]]);
  });

  test('is in the dead-letter queue before an attempt that would exceed the age of its EventInvokeConfig', async () => {
    expect(await attemptsOf(new FunctionError('Error', 'boom'), { MaximumEventAgeInSeconds: 60 })).toBe(2);
    expect(sent).toHaveLength(1);
  });

  test('is in the dead-letter queue at once when it was stopped as a recursive loop', async () => {
    expect(await attemptsOf(new RecursiveInvocation())).toBe(1);
    expect(sent).toHaveLength(1);
  });

  test('is not in the dead-letter queue when the stack stopped meanwhile', async () => {
    let fail: (error: Error) => void = () => undefined;
    const invoke = () => new Promise<never>((_resolve, reject) => (fail = reject));
    const log: string[] = [];
    const lambda = { invoke, deadLetterQueueOf: () => queue };
    const calls = createAsyncInvoker({ lambda, sqs, log: (line) => log.push(line) });
    calls.invoke('f', { n: 1 });
    const stopped = calls.stop();
    fail(new FunctionError('Error', 'boom'));
    await stopped;
    expect(log).toEqual([expect.stringContaining('f failed')]);
    expect(sent).toEqual([]);
  });
});

import { FunctionError, RecursiveInvocation, TooManyRequests } from '../../lambda';
import { createAsyncInvoker } from '../../lambda/async-invoker';
import { until } from '../until';

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

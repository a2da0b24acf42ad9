import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFaults } from '../../faults';
import { followFaults, readFaults, type FaultsFile } from '../../faults/faults-file';
import type { AwsCall } from '../../service';

describe('Fault injection', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'faults-test-'));
    file = join(folder, 'faults.json');
    setFaults({});
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function setFaults(content: FaultsFile): void {
    writeFileSync(`${file}.new`, JSON.stringify(content));
    renameSync(`${file}.new`, file);
  }

  const callOf = (service: string, operation: string, body: object = {}): AwsCall => ({
    service,
    method: 'POST',
    path: '/',
    headers: { 'x-amz-target': `DynamoDB_20120810.${operation}`, 'x-amz-security-token': 'local-1' },
    body: Buffer.from(JSON.stringify(body)),
  });
  const done = { status: 200, headers: {}, body: '{}' };
  const answer = jest.fn(() => Promise.resolve(done));
  beforeEach(() => answer.mockClear());

  test.each<[FaultsFile, string, string, number, string]>([
    [{ dynamodb: { throttled: 1 } }, 'dynamodb', 'GetItem', 400, 'ProvisionedThroughputExceededException'],
    [{ dynamodb: { conflicting: 1 } }, 'dynamodb', 'UpdateItem', 400, 'TransactionConflictException'],
    [{ dynamodb: { down: true } }, 'dynamodb', 'Query', 500, 'InternalServerError'],
    [{ iot: { failing: 1 } }, 'iotdata', '', 500, 'InternalFailureException'],
    [{ connections: { failing: 1 } }, 'execute-api', '', 500, 'InternalServerErrorException'],
    [{ events: { down: true } }, 'events', 'PutEvents', 500, 'InternalException'],
    [{ events: { failing: 1 } }, 'events', 'PutEvents', 500, 'InternalException'],
    [{ sqs: { down: true } }, 'sqs', 'SendMessage', 500, 'InternalFailure'],
    [{ sqs: { failing: 1 } }, 'sqs', 'SendMessage', 500, 'InternalFailure'],
    [{ scheduler: { down: true } }, 'scheduler', '', 500, 'InternalServerException'],
    [{ scheduler: { failing: 1 } }, 'scheduler', '', 500, 'InternalServerException'],
  ])('%j: a call of %s %s fails with %d %s and is not made', async (content, service, operation, status, code) => {
    const faults = createFaults(followFaults(file));
    setFaults(content);
    const refused = await faults.call(callOf(service, operation), answer);
    expect({ status: refused.status, code: refused.headers['x-amzn-errortype'] }).toEqual({ status, code });
    expect(answer).not.toHaveBeenCalled();
    expect(await faults.call(callOf('cognito-idp', 'ListUserPools'), answer)).toBe(done);
    setFaults({});
    expect(await faults.call(callOf(service, operation), answer)).toBe(done);
  });

  test('throttles requests to REST APIs', () => {
    const faults = createFaults(followFaults(file));
    expect(faults.throttlesRequest()).toBe(false);
    setFaults({ restApi: { throttled: 1 } });
    expect(faults.throttlesRequest()).toBe(true);
  });

  test('loses lifecycle events and sets the time of refreshes', () => {
    const faults = createFaults(followFaults(file));
    expect([faults.losesLifecycleEvent(), faults.refreshMs()]).toEqual([false, undefined]);
    setFaults({ iot: { lifecycleEventsLost: 1, refreshMs: 500 } });
    expect([faults.losesLifecycleEvent(), faults.refreshMs()]).toEqual([true, 500]);
  });

  test('gives one reason per item of a transaction, and does not affect reads', async () => {
    setFaults({ dynamodb: { conflicting: 1 } });
    const faults = createFaults(followFaults(file));
    const { status, body } = await faults.call(
      callOf('dynamodb', 'TransactWriteItems', { TransactItems: [1, 2] }),
      answer,
    );
    expect(status).toBe(400);
    expect(JSON.parse(String(body))).toMatchObject({
      __type: expect.stringContaining('#TransactionCanceledException') as string,
      CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
    });
    expect(await faults.call(callOf('dynamodb', 'GetItem'), answer)).toBe(done);
  });

  test('lets single entries of PutEvents fail, and makes the call without them', async () => {
    setFaults({ events: { failingEntries: 0.5 } });
    const random = jest.spyOn(Math, 'random').mockReturnValueOnce(0.9).mockReturnValueOnce(0.1).mockReturnValue(0.9);
    const made: unknown[] = [];
    const answerEach = (call: AwsCall) => {
      const { Entries } = JSON.parse(call.body.toString()) as { Entries: string[] };
      made.push(Entries);
      const results = Entries.map((EventId) => ({ EventId }));
      return Promise.resolve({ ...done, body: JSON.stringify({ FailedEntryCount: 0, Entries: results }) });
    };
    const faults = createFaults(followFaults(file));
    const put = (...Entries: string[]) => faults.call(callOf('events', 'PutEvents', { Entries }), answerEach);
    expect(JSON.parse(String((await put('a', 'b', 'c')).body))).toEqual({
      FailedEntryCount: 1,
      Entries: [{ EventId: 'a' }, { ErrorCode: 'InternalFailure', ErrorMessage: 'Internal failure' }, { EventId: 'c' }],
    });
    random.mockReturnValue(0.1);
    expect(JSON.parse(String((await put('d')).body))).toMatchObject({ FailedEntryCount: 1 });
    random.mockRestore();
    expect(made).toEqual([['a', 'c']]);
    expect(await faults.call(callOf('events', 'PutRule'), answer)).toBe(done);
  });

  test('makes retries quick', () => {
    const faults = createFaults(followFaults(file));
    expect([faults.retryDelayMs(60_000), faults.streamRetriesMs()]).toEqual([60_000, undefined]);
    setFaults({ retries: { afterMs: 100, streamsForMs: 2000 } });
    expect([faults.retryDelayMs(60_000), faults.retryDelayMs(50), faults.streamRetriesMs()]).toEqual([100, 50, 2000]);
  });

  test.each<[FaultsFile, string]>([
    [{ iot: { slowMs: 300 } }, 'iotdata'],
    [{ events: { slowMs: 300 } }, 'events'],
    [{ sqs: { slowMs: 300 } }, 'sqs'],
    [{ scheduler: { slowMs: 300 } }, 'scheduler'],
  ])('%j: delays the answer of a call of %s that is made', async (content, service) => {
    setFaults(content);
    const began = performance.now();
    const late = createFaults(followFaults(file)).call(callOf(service, ''), answer);
    expect(answer).toHaveBeenCalledTimes(1);
    await late;
    expect(performance.now() - began).toBeGreaterThanOrEqual(290);
  });

  test('delivers batches twice and late', async () => {
    setFaults({ streams: { repeated: true, lateMs: 200 } });
    const began = performance.now();
    const batch = createFaults(followFaults(file)).batch(answer, new AbortController().signal);
    expect(answer).not.toHaveBeenCalled();
    expect(await batch).toBe(done);
    expect(answer).toHaveBeenCalledTimes(2);
    expect(performance.now() - began).toBeGreaterThanOrEqual(190);
  });

  test('kills one instance after one of its first calls', async () => {
    setFaults({ functions: { killed: { name: 'Publish', share: 1 } } });
    const faults = createFaults(followFaults(file));
    const [kill, spared] = [jest.fn(), jest.fn()];
    faults.invocation('PublishAll', 'local-1', kill);
    faults.invocation('Other', 'local-1', spared);
    faults.invocation('PublishAll', 'local-2', spared);
    for (let calls = 0; calls < 4; calls++) await faults.call(callOf('dynamodb', 'PutItem'), answer);
    expect(kill).toHaveBeenCalledTimes(1);
    expect(spared).not.toHaveBeenCalled();
  });

  test('does not affect an invocation that has ended', async () => {
    setFaults({ functions: { killed: { share: 1 } } });
    const faults = createFaults(followFaults(file));
    const kill = jest.fn();
    faults.invocation('PublishAll', 'local-1', kill)();
    for (let calls = 0; calls < 4; calls++) await faults.call(callOf('dynamodb', 'PutItem'), answer);
    expect(kill).not.toHaveBeenCalled();
  });

  test.each([
    [
      '{"dynamodb":{"throttled":2,"slow":1}}',
      'dynamodb.throttled: Too big: expected number to be <=1; dynamodb: Unrecognized key: "slow"',
    ],
    ['{"dynamo":{}}', 'Unrecognized key: "dynamo"'],
  ])('refuses %s in one line', (content, message) => {
    writeFileSync(file, content);
    expect(() => readFaults(file)).toThrow(`--faults ${file}: ${message}`);
  });

  test('keeps its faults when the file becomes invalid, and logs that once', () => {
    setFaults({ cognito: { down: true } });
    const faults = createFaults(followFaults(file));
    const complain = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    writeFileSync(file, '{"cognito":');
    expect([faults.isCognitoDown(), faults.isCognitoDown()]).toEqual([true, true]);
    expect(complain.mock.calls).toEqual([[expect.stringMatching(/^--faults .+faults\.json: .*JSON/)]]);
    complain.mockRestore();
  });
});

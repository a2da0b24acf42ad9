import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFaults } from '../../local/faults';
import { followFaults, readFaults, type FaultsFile } from '../../local/faults-file';
import type { AwsCall } from '../../local/service';

describe('The faults of a stack on one machine', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'faults-test-'));
    file = join(folder, 'faults.json');
    befall({});
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function befall(content: FaultsFile): void {
    writeFileSync(`${file}.new`, JSON.stringify(content));
    renameSync(`${file}.new`, file);
  }

  const callOf = (service: string, operation: string, body: object = {}): AwsCall => ({
    ...{ service, method: 'POST', path: '/' },
    headers: { 'x-amz-target': `DynamoDB_20120810.${operation}`, 'x-amz-security-token': 'local-1' },
    body: Buffer.from(JSON.stringify(body)),
  });
  const done = { status: 200, headers: {}, body: '{}' };
  const answer = jest.fn(() => Promise.resolve(done));
  beforeEach(() => answer.mockClear());

  it.each<[FaultsFile, string, string, number, string]>([
    [{ dynamodb: { throttled: 1 } }, 'dynamodb', 'GetItem', 400, 'ProvisionedThroughputExceededException'],
    [{ dynamodb: { conflicting: 1 } }, 'dynamodb', 'UpdateItem', 400, 'TransactionConflictException'],
    [{ dynamodb: { down: true } }, 'dynamodb', 'Query', 500, 'InternalServerError'],
    [{ iot: { failing: 1 } }, 'iotdata', '', 500, 'InternalFailureException'],
    [{ connections: { failing: 1 } }, 'execute-api', '', 500, 'InternalServerErrorException'],
  ])('%j: a call of %s %s is not done and answered with %d %s.', async (content, service, operation, status, code) => {
    const faults = createFaults(followFaults(file));
    befall(content);
    const refused = await faults.call(callOf(service, operation), answer);
    expect({ status: refused.status, code: refused.headers['x-amzn-errortype'] }).toEqual({ status, code });
    expect(answer).not.toHaveBeenCalled();
    expect(await faults.call(callOf('sqs', 'SendMessage'), answer)).toBe(done);
    befall({});
    expect(await faults.call(callOf(service, operation), answer)).toBe(done);
  });

  it('gives a transaction a reason for each of its items, and lets reads pass beside conflicts.', async () => {
    befall({ dynamodb: { conflicting: 1 } });
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

  it('answers late what has been done.', async () => {
    befall({ iot: { slowMs: 300 } });
    const began = performance.now();
    const late = createFaults(followFaults(file)).call(callOf('iotdata', ''), answer);
    expect(answer).toHaveBeenCalledTimes(1);
    await late;
    expect(performance.now() - began).toBeGreaterThanOrEqual(290);
  });

  it('hands batches over twice and late.', async () => {
    befall({ streams: { repeated: true, lateMs: 200 } });
    const began = performance.now();
    const batch = createFaults(followFaults(file)).batch(answer, new AbortController().signal);
    expect(answer).not.toHaveBeenCalled();
    expect(await batch).toBe(done);
    expect(answer).toHaveBeenCalledTimes(2);
    expect(performance.now() - began).toBeGreaterThanOrEqual(190);
  });

  it('kills an instance after one of the first calls of its invocation, and no other instance.', async () => {
    befall({ functions: { killed: { name: 'Tell', share: 1 } } });
    const faults = createFaults(followFaults(file));
    const [kill, spared] = [jest.fn(), jest.fn()];
    faults.invocation('TellAll', 'local-1', kill);
    faults.invocation('Other', 'local-1', spared);
    faults.invocation('TellAll', 'local-2', spared);
    for (let calls = 0; calls < 4; calls++) await faults.call(callOf('dynamodb', 'PutItem'), answer);
    expect(kill).toHaveBeenCalledTimes(1);
    expect(spared).not.toHaveBeenCalled();
  });

  it('spares an invocation that has ended before.', async () => {
    befall({ functions: { killed: { share: 1 } } });
    const faults = createFaults(followFaults(file));
    const kill = jest.fn();
    faults.invocation('TellAll', 'local-1', kill)();
    for (let calls = 0; calls < 4; calls++) await faults.call(callOf('dynamodb', 'PutItem'), answer);
    expect(kill).not.toHaveBeenCalled();
  });

  it.each([
    [
      '{"dynamodb":{"throttled":2,"slow":1}}',
      'dynamodb.throttled: Too big: expected number to be <=1; dynamodb: Unrecognized key: "slow"',
    ],
    ['{"dynamo":{}}', 'Unrecognized key: "dynamo"'],
  ])('%s is refused in one line that names what is wrong.', (content, message) => {
    writeFileSync(file, content);
    expect(() => readFaults(file)).toThrow(`--faults ${file}: ${message}`);
  });

  it('stay as they are when their file becomes wrong, which is said once.', () => {
    befall({ cognito: { down: true } });
    const faults = createFaults(followFaults(file));
    const complain = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    writeFileSync(file, '{"cognito":');
    expect([faults.isCognitoDown(), faults.isCognitoDown()]).toEqual([true, true]);
    expect(complain.mock.calls).toEqual([[expect.stringMatching(/^--faults .+faults\.json: .*JSON/)]]);
    complain.mockRestore();
  });
});

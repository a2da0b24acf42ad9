import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { createMeter } from '../../billing/meter';
import { createEventSources, type EventSources, type EventSourcesOptions } from '../../event-source';
import type { QueueRecord } from '../../event-source/queue-source';
import { FunctionError } from '../../lambda';
import { parsePolicy } from '../../iam/policy';
import { arnOf, startSqs, account, type SqsFixture } from '../sqs/fixture';
import { until } from '../until';

const grants = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];
const allowing = (operations: readonly string[]) =>
  parsePolicy({
    Statement: [{ Effect: 'Allow', Action: operations.map((one) => `sqs:${one}`), Resource: arnOf('Work') }],
  });

describe('Event source mapping of an SQS queue', () => {
  let given: SqsFixture;
  let sources: EventSources | undefined;
  let batches: QueueRecord[][];
  let answer: (records: readonly QueueRecord[], call: number) => unknown;
  let log: string[];

  const send = (body: string) => given.sqs.send(arnOf('Work'), body);
  const bodies = () => batches.map((batch) => batch.map(({ body }) => body).join(''));
  const left = () => given.sqs.queue(arnOf('Work'))?.messages.map(({ body }) => body);

  async function start(properties: object = {}, more: Partial<EventSourcesOptions> = {}) {
    sources = createEventSources({
      ...account,
      engineUrl: 'http://127.0.0.1:9',
      dataFolder: given.folder,
      sqs: given.sqs,
      policiesOf: () => [allowing(grants)],
      log: (line) => log.push(line),
      lambda: {
        timeoutOf: () => 3,
        deadLetterQueueOf: () => undefined,
        invoke: async (_function, event) => {
          const { Records } = event as { Records: QueueRecord[] };
          batches.push(Records);
          return Promise.resolve(answer(Records, batches.length));
        },
      },
      ...more,
    });
    await sources.create({
      type: 'AWS::Lambda::EventSourceMapping',
      logicalId: 'FromWork',
      properties: { FunctionName: 'Worker', EventSourceArn: arnOf('Work'), ...properties },
      metadata: {},
    });
    await sources.start?.();
  }

  beforeEach(async () => {
    given = await startSqs();
    given.queue('Work', { VisibilityTimeout: 3 });
    batches = [];
    log = [];
    answer = () => null;
  });
  afterEach(async () => {
    await sources?.stop?.();
    await given.remove();
  });

  test("delivers messages in Lambda's format and deletes them on success", async () => {
    await start();
    const sent = await given.client.send(
      new SendMessageCommand({
        QueueUrl: `${given.endpoint.url}/1/Work`,
        MessageBody: 'a',
        MessageAttributes: {
          text: { DataType: 'String', StringValue: 'x' },
          bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([1]) },
        },
      }),
    );
    await until(() => batches.length === 1 && left()?.length === 0);
    const moment = expect.stringMatching(/^\d{13}$/) as unknown;
    expect(batches[0]).toEqual([
      {
        messageId: sent.MessageId,
        receiptHandle: expect.any(String) as unknown,
        body: 'a',
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: moment,
          SenderId: account.accountId,
          ApproximateFirstReceiveTimestamp: moment,
        },
        messageAttributes: {
          text: { stringValue: 'x', stringListValues: [], binaryListValues: [], dataType: 'String' },
          bytes: { binaryValue: 'AQ==', stringListValues: [], binaryListValues: [], dataType: 'Binary' },
        },
        md5OfBody: '0cc175b9c0f1b6a831c399e269772661',
        eventSource: 'aws:sqs',
        eventSourceARN: arnOf('Work'),
        awsRegion: 'eu-central-1',
      },
    ]);
  });

  test('charges its function for receives, deletes and empty polls, three a minute of each of five pollers', async () => {
    let now = 0;
    const meter = createMeter(() => now);
    for (const body of 'abcdefghijkl') send(body);
    await start({}, { meter });
    await until(() => left()?.length === 0);
    const requests = () => meter.usage()['Worker']?.['sqs:requests'];
    await until(() => requests() === 4);
    now = 60_000;
    expect(requests()).toBe(4 + 15);
  });

  test('delivers available messages, at most ten at once', async () => {
    for (const body of 'abcdefghijkl') send(body);
    await start();
    await until(() => left()?.length === 0);
    expect(bodies()).toEqual(['abcdefghij', 'kl']);
  });

  test('waits for a full batch during the batching window', async () => {
    await start({ BatchSize: 2, MaximumBatchingWindowInSeconds: 1 });
    send('a');
    await new Promise(setImmediate);
    expect(batches).toEqual([]);
    send('b');
    send('c');
    await until(() => left()?.length === 0);
    expect(bodies()).toEqual(['ab', 'c']);
  });

  test('retries a failed batch after its visibility timeout, until maxReceiveCount', async () => {
    given.queue('Failures');
    given.queue('Retried', {
      VisibilityTimeout: 1,
      RedrivePolicy: { deadLetterTargetArn: arnOf('Failures'), maxReceiveCount: 2 },
    });
    answer = () => {
      throw new FunctionError('TypeError', 'secret text');
    };
    const invoke = (_function: string, event: unknown) => {
      batches.push((event as { Records: QueueRecord[] }).Records);
      return Promise.reject(new FunctionError('TypeError', 'secret text'));
    };
    await start(
      { EventSourceArn: arnOf('Retried') },
      {
        lambda: { timeoutOf: () => 1, deadLetterQueueOf: () => undefined, invoke },
        policiesOf: () => [parsePolicy({ Statement: [{ Effect: 'Allow', Action: 'sqs:*', Resource: '*' }] })],
      },
    );
    given.sqs.send(arnOf('Retried'), 'a');
    await until(() => given.sqs.queue(arnOf('Failures'))?.messages.length === 1);
    expect(batches.map(([record]) => record?.attributes['ApproximateReceiveCount'])).toEqual(['1', '2']);
    const failed = 'FromWork: a batch of 1 messages failed: TypeError';
    expect(log).toEqual([failed, failed]);
  });

  test('keeps only the reported messages', async () => {
    for (const body of 'abc') send(body);
    answer = (records) => ({
      batchItemFailures: records.filter(({ body }) => body === 'b').map((one) => ({ itemIdentifier: one.messageId })),
    });
    await start({ FunctionResponseTypes: ['ReportBatchItemFailures'] });
    await until(() => left()?.length === 1);
    expect(left()).toEqual(['b']);
  });

  test.each([
    ['no failures', { batchItemFailures: [] }, 0],
    ['nothing', null, 0],
    ['failures that are null', { batchItemFailures: null }, 0],
    ['a failure without a name', { batchItemFailures: [{ itemIdentifier: '' }] }, 2],
    ['a failure that is null', { batchItemFailures: [{ itemIdentifier: null }] }, 2],
    ['a failure of another batch', { batchItemFailures: [{ itemIdentifier: 'z' }] }, 2],
    ['a failure with a misspelt key', { batchItemFailures: [{ id: 'z' }] }, 2],
  ])('treats %s as AWS does', async (_title, report, expected) => {
    for (const body of 'ab') send(body);
    answer = () => report;
    await start({ FunctionResponseTypes: ['ReportBatchItemFailures'] });
    await until(() => batches.length === 1);
    await sources?.stop?.();
    expect(left()).toHaveLength(expected);
  });

  test('ignores reports without ReportBatchItemFailures', async () => {
    send('a');
    answer = (records) => ({ batchItemFailures: records.map((one) => ({ itemIdentifier: one.messageId })) });
    await start();
    await until(() => batches.length === 1);
    await sources?.stop?.();
    expect(left()).toEqual([]);
  });

  test('deletes messages that match no filter, and filters on JSON bodies', async () => {
    for (const body of ['{"kind":"job"}', '{"kind":"share"}', 'job', '{"kind":"job","n":2}']) send(body);
    const Filters = [{ Pattern: JSON.stringify({ body: { kind: ['job'] } }) }];
    await start({ FilterCriteria: { Filters } });
    await until(() => left()?.length === 0);
    expect(bodies()).toEqual(['{"kind":"job"}{"kind":"job","n":2}']);
  });

  test('delivers several batches concurrently', async () => {
    let release = () => undefined as unknown;
    const released = new Promise((resolve) => (release = () => resolve(null)));
    answer = () => released;
    await start({ BatchSize: 1 });
    for (const body of 'ab') send(body);
    await until(() => batches.length === 2);
    expect(left()).toHaveLength(2);
    release();
    await until(() => left()?.length === 0);
  });

  test('is idle when disabled', async () => {
    send('a');
    await start({ Enabled: false });
    await sources?.stop?.();
    expect([batches, left()]).toEqual([[], ['a']]);
  });

  test.each(grants)("requires sqs:%s of the function's role", async (missing) => {
    const policiesOf = () => [allowing(grants.filter((one) => one !== missing))];
    await expect(start({}, { policiesOf })).rejects.toThrow(`does not allow sqs:${missing} on ${arnOf('Work')}`);
  });

  test("requires a visibility timeout of at least the function's timeout", async () => {
    const lambda = { invoke: () => Promise.resolve(), timeoutOf: () => 4, deadLetterQueueOf: () => undefined };
    await expect(start({}, { lambda })).rejects.toThrow(
      'visibility timeout: 3 seconds is less than Function timeout: 4',
    );
  });

  test.each([
    ['a queue that does not exist', { EventSourceArn: arnOf('None') }, 'None'],
    ['an option of streams', { StartingPosition: 'LATEST' }, 'StartingPosition'],
    ['batches beyond ten without a window', { BatchSize: 11 }, 'MaximumBatchingWindowInSeconds'],
    [
      'batches of more than ten without a window',
      { FilterCriteria: { Filters: [{ Pattern: '{"a":[{"near":1}]}' }] } },
      'near',
    ],
  ])('an invalid filter', async (_title, properties, message) => {
    const policiesOf = () => [parsePolicy({ Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] })];
    await expect(start(properties, { policiesOf })).rejects.toThrow(message);
  });
});

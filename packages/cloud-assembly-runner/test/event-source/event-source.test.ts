import { DeleteItemCommand, PutItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { createTtlDeletions } from '../../dynamodb/time-to-live';
import type { EventSources } from '../../event-source';
import { parsePolicy } from '../../iam/policy';
import { givenStreams, queueArn, type GivenStreams } from './stream-fixture';
import { until } from '../until';

describe('Event source mapping of a DynamoDB stream', () => {
  let given: GivenStreams;
  let sources: EventSources | undefined;
  const start = async (...all: Parameters<GivenStreams['start']>) => (sources = await given.start(...all));
  const put = (id: string, n = 1) =>
    given.client.send(new PutItemCommand({ TableName: 'Things', Item: { id: { S: id }, n: { N: String(n) } } }));
  const failures = () =>
    (
      given.sqs.answer({
        service: 'sqs',
        method: 'POST',
        path: '/',
        headers: { 'x-amz-target': 'AmazonSQS.ReceiveMessage' },
        body: Buffer.from(JSON.stringify({ QueueUrl: '/Failures', MaxNumberOfMessages: 10 })),
      }) as Promise<{ body: string }>
    ).then(({ body }) =>
      (JSON.parse(body) as { Messages: { Body: string }[] }).Messages.map(({ Body }) => JSON.parse(Body) as unknown),
    );

  beforeEach(async () => {
    given = await givenStreams();
  });
  afterEach(async () => {
    await sources?.stop?.();
    await given.end();
  });

  test('names DynamoDB as the deleter of expired items only', async () => {
    const timedOut = createTtlDeletions();
    await start({ Follow: {} }, { ttlDeletions: timedOut });
    for (const id of ['a', 'b']) await put(id);
    timedOut.add('Things', { id: { S: 'a' } });
    for (const id of ['a', 'b'])
      await given.client.send(new DeleteItemCommand({ TableName: 'Things', Key: { id: { S: id } } }));
    await until(() => given.ids('Follow').length === 4);
    const records = (given.batches.get('Follow') ?? []).flat() as { userIdentity?: unknown }[];
    expect(records.map(({ userIdentity }) => userIdentity)).toEqual([
      undefined,
      undefined,
      { type: 'Service', principalId: 'dynamodb.amazonaws.com' },
      undefined,
    ]);
  });

  test("delivers records in Lambda's format, in order", async () => {
    await start({ Follow: {} });
    await put('a', 1);
    await put('a', 2);
    await given.client.send(new DeleteItemCommand({ TableName: 'Things', Key: { id: { S: 'a' } } }));
    await until(() => given.ids('Follow').length === 3);
    const records = (given.batches.get('Follow') ?? []).flat();
    expect(records.map(({ eventName }) => eventName)).toEqual(['INSERT', 'MODIFY', 'REMOVE']);
    expect(new Set(records.map(({ eventID }) => eventID)).size).toBe(3);
    expect(records[1]).toEqual({
      eventID: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
      eventName: 'MODIFY',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: 'eu-central-1',
      eventSourceARN: given.streamArn,
      dynamodb: {
        ApproximateCreationDateTime: expect.any(Number) as unknown,
        Keys: { id: { S: 'a' } },
        OldImage: { id: { S: 'a' }, n: { N: '1' } },
        NewImage: { id: { S: 'a' }, n: { N: '2' } },
        SequenceNumber: expect.stringMatching(/^\d+$/) as unknown,
        SizeBytes: expect.any(Number) as unknown,
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    });
  });

  test('has no record for a write that changes nothing', async () => {
    await start({ Follow: {} });
    await put('a');
    await put('a');
    await put('b');
    await until(() => given.ids('Follow').includes('b'));
    expect(given.ids('Follow')).toEqual(['a', 'b']);
  });

  test('applies the filters of each mapping', async () => {
    const filter = (...patterns: object[]) => ({
      FilterCriteria: { Filters: patterns.map((one) => ({ Pattern: JSON.stringify(one) })) },
    });
    const keys = (prefix: string) => ({ dynamodb: { Keys: { id: { S: [{ prefix }] } } } });
    await start({
      All: {},
      Devices: filter(keys('device-')),
      Ends: filter({ eventName: ['REMOVE'] }, keys('group-')),
    });
    await put('device-1');
    await put('group-1');
    await given.client.send(new DeleteItemCommand({ TableName: 'Things', Key: { id: { S: 'device-1' } } }));
    const counts = { All: 3, Devices: 2, Ends: 2 };
    await until(() => Object.entries(counts).every(([name, count]) => given.ids(name).length === count));
    expect(given.ids('Devices')).toEqual(['device-1', 'device-1']);
    expect(given.ids('Ends')).toEqual(['group-1', 'device-1']);
  });

  test('limits batches to BatchSize, transactions too', async () => {
    const items = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ Put: { TableName: 'Things', Item: { id: { S: id } } } }));
    await given.client.send(new TransactWriteItemsCommand({ TransactItems: items }));
    await start({ Follow: { BatchSize: 2 } });
    await until(() => given.ids('Follow').length === 5);
    expect(given.batches.get('Follow')?.map(({ length }) => length)).toEqual([2, 2, 1]);
  });

  test('collects records during the batching window', async () => {
    await start({ Follow: { BatchSize: 3, MaximumBatchingWindowInSeconds: 300 } });
    for (const id of ['a', 'b', 'c', 'd']) await put(id);
    await until(() => given.ids('Follow').length === 3);
    expect(given.batches.get('Follow')).toHaveLength(1);
  });

  test('continues after a restart with the records that were not done', async () => {
    await start({ Follow: {}, Fail: { BatchSize: 1 } });
    given.answers.set('Fail', ([record]) => {
      if (record?.dynamodb.Keys.id.S === 'b') throw new Error('no');
    });
    await put('a');
    await put('b');
    await until(() => given.ids('Follow').length === 2 && given.ids('Fail').includes('b'));
    await sources?.stop?.();
    await put('c');
    given.batches.clear();
    given.answers.clear();
    await start({ Follow: {}, Fail: { BatchSize: 1 } });
    await until(() => given.ids('Follow').length === 1 && given.ids('Fail').length === 2);
    expect(given.ids('Follow')).toEqual(['c']);
    expect(given.ids('Fail')).toEqual(['b', 'c']);
  });

  test('starts at TRIM_HORIZON or LATEST', async () => {
    for (let n = 0; n < 12; n++) await put(`old-${n}`);
    await start({ Oldest: {}, Latest: { StartingPosition: 'LATEST' } });
    await until(() => given.ids('Oldest').length === 12);
    // When LATEST begins can't be seen: records that are written before it, also after the start, are left out.
    for (let n = 1; given.ids('Latest').length === 0; n++) {
      await put('new', n);
      await until(() => given.ids('Oldest').length === 12 + n);
    }
    expect(new Set(given.ids('Latest'))).toEqual(new Set(['new']));
  });

  test('starts at the oldest record when its shard has been trimmed', async () => {
    await start({ Follow: {} });
    await put('a');
    await until(() => given.ids('Follow').length === 1);
    await sources?.stop?.();
    const { writeFile } = await import('node:fs/promises');
    const trimmed = { streamArn: given.streamArn, shardId: 'shardId-00000000-gone', sequenceNumber: '7' };
    await writeFile(`${given.dataFolder}/event-sources.json`, JSON.stringify({ ToFollow: trimmed }));
    await start({ Follow: {} });
    await until(() => given.ids('Follow').length === 2);
    expect(given.ids('Follow')).toEqual(['a', 'a']);
  });

  test('is independent of other mappings and sends discarded records to its destination', async () => {
    given.answers.set('Fail', (records) => {
      if (records.some(({ dynamodb }) => dynamodb.Keys.id.S === 'poison')) throw new Error('no');
    });
    for (const id of ['a', 'poison', 'b']) await put(id);
    const OnFailure = { Destination: queueArn };
    await start({
      Fail: { BisectBatchOnFunctionError: true, MaximumRetryAttempts: 1, DestinationConfig: { OnFailure } },
      Follow: {},
    });
    await until(() => given.log.length === 1 && given.ids('Fail').at(-1) === 'b' && given.ids('Follow').length === 3);
    expect(given.batches.get('Fail')?.map(({ length }) => length)).toEqual([3, 2, 1, 1, 1, 1]);
    expect(given.batches.get('Follow')).toHaveLength(1);
    const number = (given.batches.get('Follow') ?? [])[0]?.[1]?.dynamodb.SequenceNumber;
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as unknown;
    expect(await failures()).toEqual([
      {
        requestContext: {
          requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
          functionArn: 'arn:aws:lambda:eu-central-1:000000000000:function:Fail',
          condition: 'RetryAttemptsExhausted',
          approximateInvokeCount: 4,
        },
        responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
        version: '1.0',
        timestamp: expect.any(String) as unknown,
        DDBStreamBatchInfo: {
          shardId: expect.stringContaining('shardId-') as unknown,
          startSequenceNumber: number,
          endSequenceNumber: number,
          approximateArrivalOfFirstRecord: moment,
          approximateArrivalOfLastRecord: moment,
          batchSize: 1,
          streamArn: given.streamArn,
        },
      },
    ]);
    expect(given.log.join()).not.toContain('poison');
  });

  test('is idle when disabled', async () => {
    await put('a');
    await start({ Off: { Enabled: false }, Follow: {} });
    await until(() => given.ids('Follow').length === 1);
    expect(given.ids('Off')).toEqual([]);
  });

  test.each(['GetRecords', 'GetShardIterator', 'DescribeStream', 'ListStreams'])(
    "requires dynamodb:%s of the function's role",
    async (operation) => {
      const Statement = [
        { Effect: 'Allow', Action: '*', Resource: '*' },
        { Effect: 'Deny', Action: `dynamodb:${operation}`, Resource: given.streamArn },
      ];
      const starting = start({ Follow: {} }, { policiesOf: () => [parsePolicy({ Statement })] });
      await expect(starting).rejects.toThrow(`does not allow dynamodb:${operation} on ${given.streamArn}`);
    },
  );

  test('requires sqs:SendMessage on the failure destination', async () => {
    const Statement = [{ Effect: 'Allow', Action: 'dynamodb:*', Resource: '*' }];
    const mappings = { Follow: { DestinationConfig: { OnFailure: { Destination: queueArn } } } };
    const starting = start(mappings, { policiesOf: () => [parsePolicy({ Statement })] });
    await expect(starting).rejects.toThrow(`does not allow sqs:SendMessage on ${queueArn}`);
  });

  test.each([
    ['a source other than a stream', { EventSourceArn: 'arn:aws:kinesis:r:a:stream/x' }, 'EventSourceArn'],
    ['an unsupported option', { TumblingWindowInSeconds: 1 }, 'TumblingWindowInSeconds'],
    ['an invalid filter', { FilterCriteria: { Filters: [{ Pattern: '{"a":[{"near":1}]}' }] } }, 'near'],
  ])('refuses %s by name', async (_title, properties, message) => {
    await expect(start({ Follow: properties })).rejects.toThrow(message);
  });
});

import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  PurgeQueueCommand,
} from '@aws-sdk/client-sqs';
import { arnOf, queueFixture, makeQueue } from './fixture';
import { monotonicNow } from '../../monotonic-clock';
import type { Sqs } from '../../sqs';

describe('A queue', () => {
  const fixture = queueFixture();
  const { send, receive, bodies, attributes } = fixture;
  /** Stops the clock of the queues, so that no second passes between two calls. */
  const stopClock = () => jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  afterEach(() => jest.restoreAllMocks());

  test('has a name of at most 80 letters, digits, hyphens and underscores', () => {
    expect(() => fixture.queue('Long', { QueueName: 'q'.repeat(81) })).toThrow('80 letters');
    expect(() => fixture.queue('Dotted', { QueueName: 'a.b' })).toThrow('80 letters');
  });

  test('has a URL at the endpoint as Ref, and ARN, name and URL as attributes', async () => {
    const resource = { type: 'AWS::SQS::Queue', logicalId: 'Logical', properties: { QueueName: 'own' }, metadata: {} };
    expect(await fixture.sqs.create(resource)).toEqual({
      ref: `${fixture.endpoint.url}/000000000000/own`,
      attributes: { Arn: arnOf('own'), QueueName: 'own', QueueUrl: `${fixture.endpoint.url}/000000000000/own` },
    });
    const found = await fixture.client.send(new GetQueueUrlCommand({ QueueName: 'own' }));
    expect(found.QueueUrl).toBe(`${fixture.endpoint.url}/000000000000/own`);
    const { QueueUrls } = await fixture.client.send(new ListQueuesCommand());
    expect(QueueUrls).toEqual(expect.arrayContaining([fixture.url, found.QueueUrl]));
  });

  test('returns messages of the API and of other services in order, with checksums', async () => {
    const sent = await send('a');
    fixture.sqs.send(arnOf('Things'), 'b', { RULE_ARN: { DataType: 'String', StringValue: 'arn' } });
    const [first, second] = await receive({
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['RULE.*', 'RULE_ARN'],
    });
    expect(first).toEqual({
      MessageId: sent.MessageId,
      ReceiptHandle: expect.any(String) as unknown,
      Body: 'a',
      MD5OfBody: '0cc175b9c0f1b6a831c399e269772661',
      Attributes: {
        ApproximateReceiveCount: '1',
        ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/) as unknown,
        SenderId: expect.any(String) as unknown,
        SentTimestamp: expect.stringMatching(/^\d{13}$/) as unknown,
      },
    });
    expect(second).toMatchObject({
      Body: 'b',
      MessageAttributes: { RULE_ARN: { DataType: 'String', StringValue: 'arn' } },
    });
  });

  test('returns attributes only on request', async () => {
    await send('a', { MessageAttributes: { one: { DataType: 'Number', StringValue: '1' } } });
    const [message] = await receive();
    expect(Object.keys(message ?? {}).sort()).toEqual(['Body', 'MD5OfBody', 'MessageId', 'ReceiptHandle']);
  });

  test('hides received messages for the visibility timeout', async () => {
    await send('a');
    const clock = stopClock();
    expect(await bodies({ VisibilityTimeout: 0 })).toEqual(['a']);
    expect(await bodies({ VisibilityTimeout: 1 })).toEqual(['a']);
    expect(await bodies()).toEqual([]);
    expect(await attributes()).toMatchObject({
      QueueArn: arnOf('Things'),
      ApproximateNumberOfMessages: '0',
      ApproximateNumberOfMessagesNotVisible: '1',
      ApproximateNumberOfMessagesDelayed: '0',
    });
    clock.mockRestore();
    expect(await bodies({ WaitTimeSeconds: 20 })).toEqual(['a']);
  });

  test('makes a message visible at once with a visibility timeout of 0', async () => {
    await send('a');
    const [message] = await receive();
    const { ReceiptHandle } = message ?? {};
    await fixture.client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: fixture.url, ReceiptHandle, VisibilityTimeout: 0 }),
    );
    expect(await bodies()).toEqual(['a']);
  });

  test('delays a message by its own delay or by that of the queue', async () => {
    fixture.url = fixture.queue('Later', { DelaySeconds: 900 });
    const clock = stopClock();
    await send('own delay', { DelaySeconds: 1 });
    await send('delay of the queue');
    expect(await bodies()).toEqual([]);
    expect(await attributes()).toMatchObject({ ApproximateNumberOfMessagesDelayed: '2', DelaySeconds: '900' });
    clock.mockRestore();
    expect(await bodies({ WaitTimeSeconds: 20 })).toEqual(['own delay']);
  });

  test('ends long polling as soon as a message arrives', async () => {
    const waiting = bodies({ WaitTimeSeconds: 20 });
    await send('a');
    expect(await waiting).toEqual(['a']);
  });

  test('drops deleted and purged messages', async () => {
    for (const body of ['a', 'b', 'c']) await send(body);
    const [a, b, c] = await receive();
    await fixture.client.send(new DeleteMessageCommand({ QueueUrl: fixture.url, ReceiptHandle: a?.ReceiptHandle }));
    const Entries = [{ Id: 'b', ReceiptHandle: b?.ReceiptHandle }];
    await fixture.client.send(new DeleteMessageBatchCommand({ QueueUrl: fixture.url, Entries }));
    const shown = { QueueUrl: fixture.url, ReceiptHandle: c?.ReceiptHandle, VisibilityTimeout: 0 };
    await fixture.client.send(new ChangeMessageVisibilityCommand(shown));
    expect(await bodies({ VisibilityTimeout: 0 })).toEqual(['c']);
    await fixture.client.send(new PurgeQueueCommand({ QueueUrl: fixture.url }));
    expect(await bodies()).toEqual([]);
  });

  test('drops messages older than the retention period', async () => {
    fixture.url = fixture.queue('Short', { MessageRetentionPeriod: 60 });
    await send('a');
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    expect(fixture.sqs.queue(arnOf('Short'))?.messages).toEqual([]);
    now.mockRestore();
  });

  test('keeps its delays when the clock is set back', async () => {
    fixture.sqs.queue(arnOf('Things'))?.send('late', {}, 0.05);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    expect(await bodies({ WaitTimeSeconds: 20 })).toEqual(['late']);
    clock.mockRestore();
  });

  test('moves messages that were received too often to the dead-letter queue', async () => {
    const failures = fixture.queue('Failures');
    fixture.url = fixture.queue('Work', {
      RedrivePolicy: { deadLetterTargetArn: arnOf('Failures'), maxReceiveCount: 2 },
    });
    const { MessageId } = await send('a', { MessageAttributes: { one: { DataType: 'Number', StringValue: '1' } } });
    expect(await bodies({ VisibilityTimeout: 0 })).toEqual(['a']);
    expect(await bodies({ VisibilityTimeout: 0 })).toEqual(['a']);
    expect(await bodies({ VisibilityTimeout: 0 })).toEqual([]);
    fixture.url = failures;
    const asked = {
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['DeadLetterQueueSourceArn' as const],
    };
    expect(await receive(asked)).toMatchObject([
      {
        MessageId,
        Body: 'a',
        MessageAttributes: { one: { DataType: 'Number', StringValue: '1' } },
        Attributes: { DeadLetterQueueSourceArn: arnOf('Work') },
      },
    ]);
  });

  test.each([
    ['as a FIFO queue', { FifoQueue: true }, 'FifoQueue'],
    [
      'with a dead-letter queue that does not exist',
      { RedrivePolicy: { deadLetterTargetArn: 'x', maxReceiveCount: 1 } },
      'Dead letter target does not exist',
    ],
  ])('is refused %s', (_title, properties, message) => {
    expect(() => fixture.queue('Other', properties)).toThrow(message);
  });

  test('throws when a service sends to an unknown queue', () => {
    expect(() => fixture.sqs.send(`${arnOf('Things')}2`, 'a')).toThrow('Things2');
  });
});

describe('A stored queue', () => {
  const fixture = queueFixture();
  const { receive } = fixture;

  test('limits delays to SQS’s maximum when the clock was set back before a restart', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 86_400_000);
    const message = {
      id: 'a',
      body: 'x',
      attributes: {},
      sentAt: Date.now(),
      receiveCount: 0,
      hiddenUntil: Date.now(),
    };
    clock.mockRestore();
    await fixture.sqs.stop?.();
    await writeFile(join(fixture.folder, 'queues.json'), JSON.stringify({ Things: [message] }));
    const next = fixture.reopen();
    makeQueue(next, 'Things');
    await next.start?.();
    const [kept] = next.queue(arnOf('Things'))?.messages ?? [];
    // By the clock of the queue: the system clock counts whole milliseconds and may be a fraction behind it.
    expect(kept?.hiddenUntil).toBeLessThanOrEqual(monotonicNow() + 900_000);
    await next.stop?.();
  });

  test('restores its messages after a restart: delayed ones stay delayed, received ones are visible at once', async () => {
    const before = fixture.reopen();
    makeQueue(before, 'Things');
    await before.start?.();
    before.queue(arnOf('Things'))?.send('delayed', {}, 900);
    before.send(arnOf('Things'), 'received', { one: { DataType: 'String', StringValue: 'x' } });
    before.queue(arnOf('Things'))?.receive(1);
    await before.stop?.();
    await fixture.sqs.start?.();
    expect(fixture.sqs.queue(arnOf('Things'))?.messages.map(({ body }) => body)).toEqual(['delayed', 'received']);
    const [message, ...others] = await receive({ MessageAttributeNames: ['All'] });
    expect(message).toMatchObject({ Body: 'received', MessageAttributes: { one: { StringValue: 'x' } } });
    expect(others).toEqual([]);
  });

  describe('after the process was killed', () => {
    /** Never stopped. */
    let killed: Sqs;
    const things = () => killed.queue(arnOf('Things'));
    const afterwards = async () => {
      await fixture.sqs.start?.();
      return fixture.sqs.queue(arnOf('Things'))?.messages.map(({ body }) => body);
    };
    beforeEach(async () => {
      killed = fixture.reopen();
      makeQueue(killed, 'Things');
      await killed.start?.();
    });

    test('has all sent messages', async () => {
      killed.send(arnOf('Things'), 'a');
      things()?.send('b', {}, 900);
      expect(await afterwards()).toEqual(['a', 'b']);
    });

    test('has no deleted or purged messages', async () => {
      killed.send(arnOf('Things'), 'purged');
      things()?.purge();
      for (const body of ['a', 'b']) killed.send(arnOf('Things'), body);
      things()?.remove(things()?.receive(1)[0]?.receiptHandle ?? '');
      expect(await afterwards()).toEqual(['b']);
    });

    test('has received messages, visible at once, with their receive count', async () => {
      killed.send(arnOf('Things'), 'a');
      things()?.receive(1);
      await fixture.sqs.start?.();
      const [message] = await receive({ MessageSystemAttributeNames: ['ApproximateReceiveCount'] });
      expect(message).toMatchObject({ Body: 'a', Attributes: { ApproximateReceiveCount: '2' } });
    });

    test('has its messages after the journal was compacted, which stays small', async () => {
      killed.send(arnOf('Things'), 'first');
      for (let count = 0; count < 3000; count++) {
        killed.send(arnOf('Things'), 'x');
        const receipt = things()
          ?.receive(2)
          .find(({ body }) => body === 'x')?.receiptHandle;
        things()?.remove(receipt ?? '');
      }
      const lines = (await readFile(join(fixture.folder, 'queues.journal'), 'utf8')).split('\n');
      expect(lines.length).toBeLessThan(2100);
      expect(await afterwards()).toEqual(['first']);
    });

    test('drops an incomplete last line, and stores later messages', async () => {
      killed.send(arnOf('Things'), 'a');
      jest.spyOn(console, 'warn').mockImplementation(() => undefined);
      await appendFile(join(fixture.folder, 'queues.journal'), '{"did":"add","queue":"Thi');
      const next = fixture.reopen();
      makeQueue(next, 'Things');
      await next.start?.();
      next.send(arnOf('Things'), 'b');
      expect(await afterwards()).toEqual(['a', 'b']);
    });

    test('refuses to start for an invalid line, with file and line number', async () => {
      await appendFile(join(fixture.folder, 'queues.journal'), 'what?\n');
      expect(() => fixture.sqs.start?.()).toThrow(/queues\.journal, line 1 can't be read/);
    });
  });
});

import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type ReceiveMessageCommandInput,
} from '@aws-sdk/client-sqs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSqs, type Sqs } from '../../../local/sqs';
import { arnOf, givenSqs, makeQueue, place, type GivenSqs } from './given';

describe('A queue', () => {
  let given: GivenSqs;
  let QueueUrl: string;
  const send = (MessageBody: string, more: object = {}) =>
    given.client.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }));
  const receive = async (more: Partial<ReceiveMessageCommandInput> = {}) => {
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, ...more });
    return (await given.client.send(command)).Messages ?? [];
  };
  const bodies = async (more?: Partial<ReceiveMessageCommandInput>) => (await receive(more)).map(({ Body }) => Body);
  const attributes = async () =>
    (await given.client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))).Attributes;

  beforeEach(async () => {
    given = await givenSqs();
    QueueUrl = given.queue('Things');
  });
  afterEach(() => given.end());

  it('has a name of at most 80 letters, digits, hyphens and underscores', () => {
    expect(() => given.queue('Long', { QueueName: 'q'.repeat(81) })).toThrow('80 letters');
    expect(() => given.queue('Dotted', { QueueName: 'a.b' })).toThrow('80 letters');
  });

  it('is named by its URL, which is at the endpoint, and by its attributes', async () => {
    const resource = { type: 'AWS::SQS::Queue', logicalId: 'Logical', properties: { QueueName: 'own' }, metadata: {} };
    expect(await given.sqs.create(resource)).toEqual({
      ref: `${given.endpoint.url}/000000000000/own`,
      attributes: { Arn: arnOf('own'), QueueName: 'own', QueueUrl: `${given.endpoint.url}/000000000000/own` },
    });
    const found = await given.client.send(new GetQueueUrlCommand({ QueueName: 'own' }));
    expect(found.QueueUrl).toBe(`${given.endpoint.url}/000000000000/own`);
    const { QueueUrls } = await given.client.send(new ListQueuesCommand());
    expect(QueueUrls).toEqual(expect.arrayContaining([QueueUrl, found.QueueUrl]));
  });

  it('gives what was sent, by the API or by another service, in order and with its checksum', async () => {
    const sent = await send('a');
    given.sqs.send(arnOf('Things'), 'b', { RULE_ARN: { DataType: 'String', StringValue: 'arn' } });
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

  it('tells attributes only to those who ask', async () => {
    await send('a', { MessageAttributes: { one: { DataType: 'Number', StringValue: '1' } } });
    const [message] = await receive();
    expect(Object.keys(message ?? {}).sort()).toEqual(['Body', 'MD5OfBody', 'MessageId', 'ReceiptHandle']);
  });

  it('hides what was received until its time is up', async () => {
    await send('a');
    expect(await bodies({ VisibilityTimeout: 0 })).toEqual(['a']);
    expect(await bodies({ VisibilityTimeout: 1 })).toEqual(['a']);
    expect(await bodies()).toEqual([]);
    expect(await attributes()).toMatchObject({
      QueueArn: arnOf('Things'),
      ApproximateNumberOfMessages: '0',
      ApproximateNumberOfMessagesNotVisible: '1',
      ApproximateNumberOfMessagesDelayed: '0',
    });
    expect(await bodies({ WaitTimeSeconds: 5 })).toEqual(['a']);
  });

  it('shows a message at once whose visibility is set to nothing', async () => {
    await send('a');
    const [message] = await receive();
    const { ReceiptHandle } = message ?? {};
    await given.client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
    expect(await bodies()).toEqual(['a']);
  });

  it('holds a message back for its own delay, or for that of the queue', async () => {
    QueueUrl = given.queue('Later', { DelaySeconds: 900 });
    await send('own delay', { DelaySeconds: 1 });
    await send('delay of the queue');
    expect(await bodies()).toEqual([]);
    expect(await attributes()).toMatchObject({ ApproximateNumberOfMessagesDelayed: '2', DelaySeconds: '900' });
    expect(await bodies({ WaitTimeSeconds: 5 })).toEqual(['own delay']);
  });

  it('wakes who waits for a message as soon as there is one', async () => {
    const waiting = bodies({ WaitTimeSeconds: 20 });
    await send('a');
    expect(await waiting).toEqual(['a']);
  });

  it('forgets what was deleted, and all that was purged', async () => {
    for (const body of ['a', 'b', 'c']) await send(body);
    const [a, b, c] = await receive();
    await given.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: a?.ReceiptHandle }));
    const Entries = [{ Id: 'b', ReceiptHandle: b?.ReceiptHandle }];
    await given.client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    const shown = { QueueUrl, ReceiptHandle: c?.ReceiptHandle, VisibilityTimeout: 0 };
    await given.client.send(new ChangeMessageVisibilityCommand(shown));
    expect(await bodies({ VisibilityTimeout: 0 })).toEqual(['c']);
    await given.client.send(new PurgeQueueCommand({ QueueUrl }));
    expect(await bodies()).toEqual([]);
  });

  it('forgets what is older than it keeps', async () => {
    QueueUrl = given.queue('Short', { MessageRetentionPeriod: 60 });
    await send('a');
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    expect(given.sqs.queue(arnOf('Short'))?.messages).toEqual([]);
    now.mockRestore();
  });

  it('keeps to its delays when the clock is set back', async () => {
    given.sqs.queue(arnOf('Things'))?.send('late', {}, 0.05);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    expect(await bodies({ WaitTimeSeconds: 20 })).toEqual(['late']);
    clock.mockRestore();
  });

  it('delays nothing longer than SQS does when the clock was set back before a restart', async () => {
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
    await given.sqs.stop?.();
    await writeFile(join(given.folder, 'queues.json'), JSON.stringify({ Things: [message] }));
    const next = given.again();
    makeQueue(next, 'Things');
    await next.start?.();
    const [kept] = next.queue(arnOf('Things'))?.messages ?? [];
    expect(kept?.hiddenUntil).toBeLessThanOrEqual(Date.now() + 900_000);
    await next.stop?.();
  });

  it('gives up what was received too often, to its dead-letter queue', async () => {
    const failures = given.queue('Failures');
    QueueUrl = given.queue('Work', {
      RedrivePolicy: { deadLetterTargetArn: arnOf('Failures'), maxReceiveCount: 2 },
    });
    const { MessageId } = await send('a', { MessageAttributes: { one: { DataType: 'Number', StringValue: '1' } } });
    expect(await bodies({ VisibilityTimeout: 0 })).toEqual(['a']);
    expect(await bodies({ VisibilityTimeout: 0 })).toEqual(['a']);
    expect(await bodies({ VisibilityTimeout: 0 })).toEqual([]);
    QueueUrl = failures;
    const asked = {
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['DeadLetterQueueSourceArn' as const],
    };
    expect(await receive(asked)).toMatchObject([
      {
        ...{ MessageId, Body: 'a', MessageAttributes: { one: { DataType: 'Number', StringValue: '1' } } },
        Attributes: { DeadLetterQueueSourceArn: arnOf('Work') },
      },
    ]);
  });

  it('takes a batch entry by entry', async () => {
    const Entries = [
      { Id: 'good', MessageBody: 'a' },
      { Id: 'late', MessageBody: 'b', DelaySeconds: 901 },
      { Id: 'empty', MessageBody: '' },
      { Id: 'last', MessageBody: 'c' },
    ];
    const { Successful, Failed } = await given.client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    expect(Successful?.map(({ Id }) => Id)).toEqual(['good', 'last']);
    expect(Failed?.map(({ Id, SenderFault }) => [Id, SenderFault])).toEqual([
      ['late', true],
      ['empty', true],
    ]);
    expect(await bodies()).toEqual(['a', 'c']);
  });

  it.each([
    ['none', [], 'EmptyBatchRequest'],
    [
      'eleven',
      Array.from({ length: 11 }, (_, n) => ({ Id: `n${n}`, MessageBody: 'a' })),
      'TooManyEntriesInBatchRequest',
    ],
    ['twins', Array.from({ length: 2 }, () => ({ Id: 'n', MessageBody: 'a' })), 'BatchEntryIdsNotDistinct'],
    [
      'more than a mebibyte',
      Array.from({ length: 2 }, (_, n) => ({ Id: `n${n}`, MessageBody: 'a'.repeat(600_000) })),
      'BatchRequestTooLong',
    ],
  ])('takes no batch of %s', async (_title, Entries, name) => {
    await expect(given.client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))).rejects.toMatchObject({ name });
    expect(await bodies()).toEqual([]);
  });

  it('takes no message beyond its limit, attributes counted', async () => {
    QueueUrl = given.queue('Small', { MaximumMessageSize: 1024 });
    await send('a'.repeat(1024));
    const attribute = { MessageAttributes: { one: { DataType: 'Binary', BinaryValue: new Uint8Array(8) } } };
    await send('a'.repeat(1024 - 17), attribute);
    await expect(send('a'.repeat(1024 - 16), attribute)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });

  it('knows its messages again after a restart: delayed ones stay so, received ones are there at once', async () => {
    const before = given.again();
    makeQueue(before, 'Things');
    await before.start?.();
    before.queue(arnOf('Things'))?.send('delayed', {}, 900);
    before.send(arnOf('Things'), 'received', { one: { DataType: 'String', StringValue: 'x' } });
    before.queue(arnOf('Things'))?.receive(1);
    await before.stop?.();
    await given.sqs.start?.();
    expect(given.sqs.queue(arnOf('Things'))?.messages.map(({ body }) => body)).toEqual(['delayed', 'received']);
    const [message, ...others] = await receive({ MessageAttributeNames: ['All'] });
    expect(message).toMatchObject({ Body: 'received', MessageAttributes: { one: { StringValue: 'x' } } });
    expect(others).toEqual([]);
  });

  describe('keeps what it has acknowledged when the process is killed:', () => {
    /** Nobody stops this one. */
    let killed: Sqs;
    const things = () => killed.queue(arnOf('Things'));
    const afterwards = async () => {
      await given.sqs.start?.();
      return given.sqs.queue(arnOf('Things'))?.messages.map(({ body }) => body);
    };
    beforeEach(async () => {
      killed = given.again();
      makeQueue(killed, 'Things');
      await killed.start?.();
    });

    it('what was sent is there', async () => {
      killed.send(arnOf('Things'), 'a');
      things()?.send('b', {}, 900);
      expect(await afterwards()).toEqual(['a', 'b']);
    });

    it('what was deleted or purged is not', async () => {
      killed.send(arnOf('Things'), 'purged');
      things()?.purge();
      for (const body of ['a', 'b']) killed.send(arnOf('Things'), body);
      things()?.remove(things()?.receive(1)[0]?.receiptHandle ?? '');
      expect(await afterwards()).toEqual(['b']);
    });

    it('what was received is there at once, and was received', async () => {
      killed.send(arnOf('Things'), 'a');
      things()?.receive(1);
      await given.sqs.start?.();
      const [message] = await receive({ MessageSystemAttributeNames: ['ApproximateReceiveCount'] });
      expect(message).toMatchObject({ Body: 'a', Attributes: { ApproximateReceiveCount: '2' } });
    });

    it('also after so much that the journal was folded, which stays small', async () => {
      killed.send(arnOf('Things'), 'first');
      for (let count = 0; count < 3000; count++) {
        killed.send(arnOf('Things'), 'x');
        const receipt = things()
          ?.receive(2)
          .find(({ body }) => body === 'x')?.receiptHandle;
        things()?.remove(receipt ?? '');
      }
      const lines = (await readFile(join(given.folder, 'queues.journal'), 'utf8')).split('\n');
      expect(lines.length).toBeLessThan(2100);
      expect(await afterwards()).toEqual(['first']);
    });

    it('a line that was being written is dropped, and what is sent next is kept', async () => {
      killed.send(arnOf('Things'), 'a');
      jest.spyOn(console, 'warn').mockImplementation(() => undefined);
      await appendFile(join(given.folder, 'queues.journal'), '{"did":"add","queue":"Thi');
      const next = given.again();
      makeQueue(next, 'Things');
      await next.start?.();
      next.send(arnOf('Things'), 'b');
      expect(await afterwards()).toEqual(['a', 'b']);
    });

    it('a line that is none names file and line', async () => {
      await appendFile(join(given.folder, 'queues.journal'), 'what?\n');
      expect(() => given.sqs.start?.()).toThrow(/queues\.journal, line 1 can't be read/);
    });
  });

  it('wants the permission on the queue, for a batch the same as for one', () => {
    const call = (operation: string) => ({
      ...{ service: 'sqs', method: 'POST', path: '/', body: Buffer.from(JSON.stringify({ QueueUrl })) },
      headers: { 'x-amz-target': `AmazonSQS.${operation}` },
    });
    const permission = [{ action: 'sqs:SendMessage', resource: arnOf('Things') }];
    expect(given.sqs.permissions(call('SendMessage'))).toEqual(permission);
    expect(given.sqs.permissions(call('SendMessageBatch'))).toEqual(permission);
  });

  it.each([
    ['an unknown queue', 'SendMessage', { QueueUrl: 'http://x/1/none', MessageBody: 'a' }, 'QueueDoesNotExist'],
    ['a message without a body', 'SendMessage', {}, 'MissingParameter'],
    [
      'a delay of more than 15 minutes',
      'SendMessage',
      { MessageBody: 'a', DelaySeconds: 901 },
      'InvalidParameterValue',
    ],
    [
      'an attribute without its value',
      'SendMessage',
      { MessageBody: 'a', MessageAttributes: { b: { DataType: 'Binary', StringValue: 'x' } } },
      'InvalidParameterValue',
    ],
    ['too many messages', 'ReceiveMessage', { MaxNumberOfMessages: 11 }, 'InvalidParameterValue'],
    [
      'to hide what nobody has received',
      'ChangeMessageVisibility',
      { ReceiptHandle: 'x', VisibilityTimeout: 1 },
      'MessageNotInflight',
    ],
    ['an operation that is not played', 'AddPermission', {}, 'UnsupportedOperation'],
    ['an operation that every object has', 'constructor', {}, 'UnsupportedOperation'],
    ['what is no JSON', 'SendMessage', '{', 'InvalidParameterValue'],
  ])('refuses %s', async (_title, operation, body, code) => {
    const answer = await given.sqs.answer({
      ...{ service: 'sqs', method: 'POST', path: '/', headers: { 'x-amz-target': `AmazonSQS.${operation}` } },
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify({ QueueUrl, ...body })),
    });
    expect(answer).toMatchObject({ status: 400, headers: { 'x-amzn-errortype': code } });
  });

  it.each([
    ['that is first in, first out', { FifoQueue: true }, 'FifoQueue'],
    [
      'with a dead-letter queue that does not exist',
      { RedrivePolicy: { deadLetterTargetArn: 'x', maxReceiveCount: 1 } },
      'there is no queue x',
    ],
  ])('can’t be one %s', (_title, properties, message) => {
    expect(() => given.queue('Other', properties)).toThrow(message);
  });

  it('takes no message when it does not exist', () => {
    expect(() => given.sqs.send(`${arnOf('Things')}2`, 'a')).toThrow('Things2');
  });
});

describe('The policy of a queue', () => {
  const rule = 'arn:aws:events:eu-central-1:000000000000:rule/bus/one';
  const policy = (statement: object) => ({
    ...{ Effect: 'Allow', Action: 'sqs:SendMessage', Principal: { Service: 'events.amazonaws.com' }, ...statement },
    Resource: arnOf('Things'),
  });
  const permits = async (...Statement: object[]) => {
    const sqs = createSqs({ ...place, endpointUrl: 'http://127.0.0.1:9', dataFolder: '/nowhere' });
    const Queues = [makeQueue(sqs, 'Things')];
    const properties = { PolicyDocument: { Statement }, Queues };
    await sqs.create({ type: 'AWS::SQS::QueuePolicy', logicalId: 'Policy', properties, metadata: {} });
    return sqs.permits(arnOf('Things'), 'events.amazonaws.com', rule);
  };
  const tls = {
    Effect: 'Deny',
    Action: 'sqs:*',
    Principal: { AWS: '*' },
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  };

  it.each<[string, boolean, object[]]>([
    ['lets a service in that it names', true, [policy({})]],
    [
      'lets it in for the rule that it names',
      true,
      [tls, policy({ Condition: { ArnEquals: { 'aws:SourceArn': rule } } })],
    ],
    [
      'lets it in for the rules of a pattern',
      true,
      [policy({ Condition: { ArnLike: { 'AWS:SourceArn': 'arn:*:rule/bus/*' } } })],
    ],
    [
      'lets it in for an account',
      true,
      [policy({ Condition: { StringEquals: { 'aws:SourceAccount': '000000000000' } } })],
    ],
    ['leaves out another rule', false, [policy({ Condition: { ArnEquals: { 'aws:SourceArn': `${rule}2` } } })]],
    ['leaves out another service', false, [policy({ Principal: { Service: 'sns.amazonaws.com' } })]],
    ['leaves out another action', false, [policy({ Action: 'sqs:ReceiveMessage' })]],
    ['does not guess what a condition means', false, [policy({ Condition: { Bool: { 'aws:SourceArn': rule } } })]],
    ['lets nobody in whom it only denies things', false, [tls]],
  ])('%s', async (_title, expected, statements) => {
    expect(await permits(...statements)).toBe(expected);
  });
});

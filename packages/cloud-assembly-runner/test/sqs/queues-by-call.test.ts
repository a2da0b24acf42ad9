import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListDeadLetterSourceQueuesCommand,
  ListQueuesCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { parsePolicy } from '../../iam/policy';
import { account, arnOf, makeQueue, queueFixture } from './fixture';

describe('A queue that was created by a call', () => {
  const fixture = queueFixture();
  const { bodies, send, attributes } = fixture;
  const create = async (QueueName: string, Attributes: Record<string, string> = {}) =>
    (await fixture.client.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl ?? '';
  const set = (Attributes: Record<string, string>) =>
    fixture.client.send(new SetQueueAttributesCommand({ QueueUrl: fixture.url, Attributes }));
  const policy = (Effect: string) =>
    JSON.stringify({ Statement: { Effect, Action: 'sqs:*', Principal: '*', Resource: arnOf('Made') } });

  test('is a queue like those of a template', async () => {
    fixture.url = await create('Made', { VisibilityTimeout: '0' });
    expect(fixture.url).toBe(`${fixture.endpoint.url}/000000000000/Made`);
    expect(await fixture.client.send(new GetQueueUrlCommand({ QueueName: 'Made' }))).toMatchObject({
      QueueUrl: fixture.url,
    });
    await send('a');
    expect(await bodies()).toEqual(['a']);
    const [message] = await fixture.receive();
    await fixture.client.send(
      new DeleteMessageCommand({ QueueUrl: fixture.url, ReceiptHandle: message?.ReceiptHandle }),
    );
    expect(await bodies()).toEqual([]);
  });

  test('has the attributes of the call, and the defaults of SQS', async () => {
    fixture.url = await create('Made', { DelaySeconds: '3', Policy: policy('Allow') });
    expect(await attributes()).toEqual({
      QueueArn: arnOf('Made'),
      CreatedTimestamp: expect.stringMatching(/^\d{10}$/) as unknown,
      LastModifiedTimestamp: expect.stringMatching(/^\d{10}$/) as unknown,
      ApproximateNumberOfMessages: '0',
      ApproximateNumberOfMessagesNotVisible: '0',
      ApproximateNumberOfMessagesDelayed: '0',
      DelaySeconds: '3',
      MaximumMessageSize: '1048576',
      MessageRetentionPeriod: '345600',
      ReceiveMessageWaitTimeSeconds: '0',
      VisibilityTimeout: '30',
      SqsManagedSseEnabled: 'true',
      Policy: policy('Allow'),
    });
    const get = (AttributeNames?: 'QueueArn'[]) =>
      fixture.client.send(new GetQueueAttributesCommand({ QueueUrl: fixture.url, AttributeNames }));
    expect((await get(['QueueArn'])).Attributes).toEqual({ QueueArn: arnOf('Made') });
    expect((await get()).Attributes).toBeUndefined();
  });

  test('is created once for equal attributes', async () => {
    const url = await create('Made', { DelaySeconds: '3' });
    expect(await create('Made')).toBe(url);
    expect(await create('Made', { DelaySeconds: '3', VisibilityTimeout: '30' })).toBe(url);
    await expect(create('Made', { DelaySeconds: '4' })).rejects.toMatchObject({ name: 'QueueNameExists' });
    await expect(create('Things', { DelaySeconds: '4' })).rejects.toMatchObject({ name: 'QueueNameExists' });
  });

  test('applies new attributes at once, and an empty text removes a policy', async () => {
    fixture.url = await create('Made');
    await set({ VisibilityTimeout: '0', MaximumMessageSize: '1024', Policy: policy('Allow') });
    expect(fixture.sqs.permits(arnOf('Made'), 'events.amazonaws.com', 'arn:aws:events:r:a:rule/r')).toBe(true);
    await send('a');
    expect(await bodies()).toEqual(['a']);
    expect(await bodies()).toEqual(['a']);
    await expect(send('x'.repeat(1025))).rejects.toMatchObject({ name: 'InvalidParameterValue' });
    await set({ Policy: '' });
    expect(fixture.sqs.permits(arnOf('Made'), 'events.amazonaws.com', 'arn:aws:events:r:a:rule/r')).toBe(false);
    expect(await attributes()).not.toHaveProperty('Policy');
  });

  test('has a dead-letter queue, which exists', async () => {
    const RedrivePolicy = (name: string) => JSON.stringify({ deadLetterTargetArn: arnOf(name), maxReceiveCount: '1' });
    fixture.url = await create('Made', { VisibilityTimeout: '0', RedrivePolicy: RedrivePolicy('Things') });
    await send('a');
    expect(await bodies()).toEqual(['a']);
    expect(await bodies()).toEqual([]);
    expect(fixture.sqs.queue(arnOf('Things'))?.messages).toMatchObject([{ body: 'a' }]);
    await expect(set({ RedrivePolicy: RedrivePolicy('None') })).rejects.toMatchObject({
      name: 'InvalidParameterValue',
    });
    expect((await attributes())?.['RedrivePolicy']).toBe(
      JSON.stringify({ deadLetterTargetArn: arnOf('Things'), maxReceiveCount: 1 }),
    );
  });

  test('is a dead-letter queue only of those that it allows', async () => {
    const allow = (policy: object) => ({ RedriveAllowPolicy: JSON.stringify(policy) });
    fixture.url = await create('Dead', allow({ redrivePermission: 'byQueue', sourceQueueArns: [arnOf('Made')] }));
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 1 });
    await create('Made', { RedrivePolicy });
    await expect(create('Other', { RedrivePolicy })).rejects.toMatchObject({
      name: 'InvalidParameterValue',
      message: expect.stringContaining('redrive allow policy') as string,
    });
    await set(allow({ redrivePermission: 'denyAll' }));
    await expect(create('Other', { RedrivePolicy })).rejects.toMatchObject({ name: 'InvalidParameterValue' });
    await set({ RedriveAllowPolicy: '' });
    expect(await attributes()).not.toHaveProperty('RedriveAllowPolicy');
    await create('Other', { RedrivePolicy });
    const sources = await fixture.client.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: fixture.url }));
    expect(sources.queueUrls?.map((url) => url.split('/').at(-1))).toEqual(['Made', 'Other']);
    const first = new ListDeadLetterSourceQueuesCommand({ QueueUrl: fixture.url, MaxResults: 1 });
    const { queueUrls, NextToken } = await fixture.client.send(first);
    expect([queueUrls?.length, typeof NextToken]).toEqual([1, 'string']);
  });

  test('makes a receive wait as long as the queue says', async () => {
    fixture.url = await create('Made', { ReceiveMessageWaitTimeSeconds: '20' });
    const receiving = bodies();
    await send('a');
    expect(await receiving).toEqual(['a']);
  });

  test('is listed by prefix and by pages', async () => {
    for (const name of ['platform-b', 'platform-a']) await create(name);
    const list = (more: object) =>
      fixture.client.send(new ListQueuesCommand({ QueueNamePrefix: 'platform-', ...more }));
    const urlOf = (name: string) => `${fixture.endpoint.url}/000000000000/${name}`;
    expect((await list({})).QueueUrls).toEqual([urlOf('platform-a'), urlOf('platform-b')]);
    const { QueueUrls, NextToken } = await list({ MaxResults: 1 });
    expect(QueueUrls).toEqual([urlOf('platform-a')]);
    expect(await list({ MaxResults: 1, NextToken })).toMatchObject({ QueueUrls: [urlOf('platform-b')] });
    expect((await list({ QueueNamePrefix: 'none' })).QueueUrls).toBeUndefined();
  });

  test('is gone with its messages once it is deleted', async () => {
    fixture.url = await create('Made');
    await send('a');
    await fixture.client.send(new DeleteQueueCommand({ QueueUrl: fixture.url }));
    await expect(send('b')).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
    expect(await create('Made')).toBe(fixture.url);
    expect(await bodies()).toEqual([]);
  });

  test('is there after a restart, with its attributes, its dead-letter queue and its messages', async () => {
    await fixture.sqs.start?.();
    fixture.url = await create('Made', { VisibilityTimeout: '7', Policy: policy('Allow') });
    await create('MadeDead');
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf('MadeDead'), maxReceiveCount: 3 });
    await set({ RedrivePolicy });
    await send('a');
    const gone = await create('Gone');
    await fixture.client.send(new DeleteQueueCommand({ QueueUrl: gone }));
    const next = fixture.reopen();
    makeQueue(next, 'Things');
    await next.start?.();
    expect(next.queue(arnOf('Made'))).toMatchObject({
      visibilityTimeout: 7,
      redrive: { maxReceiveCount: 3, to: next.queue(arnOf('MadeDead')) },
      messages: [{ body: 'a' }],
    });
    expect(next.permits(arnOf('Made'), 'events.amazonaws.com', 'arn:aws:events:r:a:rule/r')).toBe(true);
    expect(next.queue(arnOf('Gone'))).toBeUndefined();
    await next.stop?.();
  });

  test('gives way to a queue of the template with its name', async () => {
    await create('Later', { VisibilityTimeout: '7' });
    const next = fixture.reopen();
    makeQueue(next, 'Later', { VisibilityTimeout: 9 });
    await next.start?.();
    expect(next.queue(arnOf('Later'))?.visibilityTimeout).toBe(9);
    await next.stop?.();
  });

  const queue = { QueueName: 'Made' };
  test.each<[string, { QueueName: string; Attributes?: Record<string, string> }, string]>([
    ['a name with a dot', { QueueName: 'a.b' }, 'InvalidParameterValue'],
    ['a name of 81 characters', { QueueName: 'q'.repeat(81) }, 'InvalidParameterValue'],
    ['a FIFO queue', { QueueName: 'a.fifo', Attributes: { FifoQueue: 'true' } }, 'UnsupportedOperation'],
    ['an unknown attribute', { ...queue, Attributes: { Size: '1' } }, 'InvalidAttributeName'],
    ['an attribute that has no effect here', { ...queue, Attributes: { KmsMasterKeyId: 'k' } }, 'UnsupportedOperation'],
    ['a number beyond its limit', { ...queue, Attributes: { VisibilityTimeout: '43201' } }, 'InvalidAttributeValue'],
    ['a number that is none', { ...queue, Attributes: { DelaySeconds: 'soon' } }, 'InvalidAttributeValue'],
    ['a policy that is not JSON', { ...queue, Attributes: { Policy: '{' } }, 'InvalidAttributeValue'],
    ['a policy without statements', { ...queue, Attributes: { Policy: '{}' } }, 'InvalidAttributeValue'],
    ['a redrive policy that is not JSON', { ...queue, Attributes: { RedrivePolicy: '{' } }, 'InvalidAttributeValue'],
    [
      'a redrive policy without a count',
      { ...queue, Attributes: { RedrivePolicy: `{"deadLetterTargetArn":"${arnOf('Things')}"}` } },
      'InvalidAttributeValue',
    ],
    [
      'a redrive allow policy by queue that names none',
      { ...queue, Attributes: { RedriveAllowPolicy: '{"redrivePermission":"byQueue"}' } },
      'InvalidAttributeValue',
    ],
    [
      'a redrive allow policy for all that names some',
      { ...queue, Attributes: { RedriveAllowPolicy: '{"redrivePermission":"allowAll","sourceQueueArns":["a"]}' } },
      'InvalidAttributeValue',
    ],
  ])('is refused for %s', async (_title, input, name) => {
    await expect(fixture.client.send(new CreateQueueCommand(input))).rejects.toMatchObject({ name });
    expect((await fixture.client.send(new ListQueuesCommand())).QueueUrls).toEqual([fixture.url]);
  });

  test('refuses to return an attribute that SQS does not know', async () => {
    const AttributeNames = ['Size' as 'All'];
    const asked = fixture.client.send(new GetQueueAttributesCommand({ QueueUrl: fixture.url, AttributeNames }));
    await expect(asked).rejects.toMatchObject({ name: 'InvalidAttributeName' });
  });

  const QueueUrl = 'http://127.0.0.1/000000000000/None';
  test.each([
    ['GetQueueUrl', (client: SQSClient) => client.send(new GetQueueUrlCommand({ QueueName: 'None' }))],
    ['GetQueueAttributes', (client: SQSClient) => client.send(new GetQueueAttributesCommand({ QueueUrl }))],
    [
      'SetQueueAttributes',
      (client: SQSClient) => client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: {} })),
    ],
    ['DeleteQueue', (client: SQSClient) => client.send(new DeleteQueueCommand({ QueueUrl }))],
    ['PurgeQueue', (client: SQSClient) => client.send(new PurgeQueueCommand({ QueueUrl }))],
    ['ReceiveMessage', (client: SQSClient) => client.send(new ReceiveMessageCommand({ QueueUrl }))],
    ['DeleteMessage', (client: SQSClient) => client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'r' }))],
    [
      'DeleteMessageBatch',
      (client: SQSClient) =>
        client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: [{ Id: 'a', ReceiptHandle: 'r' }] })),
    ],
    [
      'ChangeMessageVisibility',
      (client: SQSClient) =>
        client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: 'r', VisibilityTimeout: 0 })),
    ],
  ])('%s of a queue that does not exist is refused', async (_operation, call) => {
    const client = new SQSClient({
      endpoint: fixture.endpoint.url,
      region: account.region,
      credentials: fixture.endpoint.admin,
      maxAttempts: 1,
      // The SDK calls a queue at the host of its URL otherwise.
      useQueueUrlAsEndpoint: false,
    });
    await expect(call(client)).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
    client.destroy();
  });

  test.each([
    [
      'CreateQueue',
      'sqs:CreateQueue',
      'platform-*',
      true,
      (client: SQSClient) => client.send(new CreateQueueCommand({ QueueName: 'platform-a' })),
    ],
    [
      'CreateQueue',
      'sqs:CreateQueue',
      'platform-*',
      false,
      (client: SQSClient) => client.send(new CreateQueueCommand({ QueueName: 'other' })),
    ],
    ['ListQueues', 'sqs:ListQueues', '*', true, (client: SQSClient) => client.send(new ListQueuesCommand())],
    ['ListQueues', 'sqs:CreateQueue', '*', false, (client: SQSClient) => client.send(new ListQueuesCommand())],
    [
      'SetQueueAttributes',
      'sqs:SetQueueAttributes',
      'Things',
      true,
      (client: SQSClient) =>
        client.send(new SetQueueAttributesCommand({ QueueUrl: fixture.url, Attributes: { DelaySeconds: '1' } })),
    ],
    [
      'SetQueueAttributes',
      'sqs:GetQueueAttributes',
      'Things',
      false,
      (client: SQSClient) =>
        client.send(new SetQueueAttributesCommand({ QueueUrl: fixture.url, Attributes: { DelaySeconds: '1' } })),
    ],
    [
      'ReceiveMessage',
      'sqs:ReceiveMessage',
      'Things',
      true,
      (client: SQSClient) => client.send(new ReceiveMessageCommand({ QueueUrl: fixture.url })),
    ],
    [
      'ReceiveMessage',
      'sqs:ReceiveMessage',
      'Other',
      false,
      (client: SQSClient) => client.send(new ReceiveMessageCommand({ QueueUrl: fixture.url })),
    ],
    [
      'DeleteQueue',
      'sqs:DeleteQueue',
      'Things',
      true,
      (client: SQSClient) => client.send(new DeleteQueueCommand({ QueueUrl: fixture.url })),
    ],
    [
      'DeleteQueue',
      'sqs:DeleteMessage',
      'Things',
      false,
      (client: SQSClient) => client.send(new DeleteQueueCommand({ QueueUrl: fixture.url })),
    ],
    [
      'SendMessage',
      'sqs:SendMessage',
      'Things',
      true,
      (client: SQSClient) => client.send(new SendMessageCommand({ QueueUrl: fixture.url, MessageBody: 'a' })),
    ],
  ])('%s is decided by the policies of the caller: %s on %s, %s', async (_operation, Action, name, isAllowed, call) => {
    const Resource = name === '*' ? '*' : arnOf(name);
    const policies = [parsePolicy({ Statement: { Effect: 'Allow', Action, Resource } })];
    const credentials = fixture.endpoint.register('caller', () => policies);
    const client = new SQSClient({
      endpoint: fixture.endpoint.url,
      region: account.region,
      credentials,
      maxAttempts: 1,
    });
    const sent = call(client);
    if (isAllowed) await expect(sent).resolves.toBeDefined();
    else await expect(sent).rejects.toMatchObject({ name: 'AccessDeniedException' });
    client.destroy();
  });
});

import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { arnOf, queueFixture, account, makeQueue } from './fixture';
import { createSqs } from '../../sqs';

describe('The SQS API', () => {
  const fixture = queueFixture();
  const { send, bodies } = fixture;

  test('accepts or refuses each entry of a batch', async () => {
    const Entries = [
      { Id: 'good', MessageBody: 'a' },
      { Id: 'late', MessageBody: 'b', DelaySeconds: 901 },
      { Id: 'empty', MessageBody: '' },
      { Id: 'last', MessageBody: 'c' },
    ];
    const { Successful, Failed } = await fixture.client.send(
      new SendMessageBatchCommand({ QueueUrl: fixture.url, Entries }),
    );
    expect(Successful?.map(({ Id }) => Id)).toEqual(['good', 'last']);
    expect(Failed?.map(({ Id, SenderFault }) => [Id, SenderFault])).toEqual([
      ['late', true],
      ['empty', true],
    ]);
    expect(await bodies()).toEqual(['a', 'c']);
  });

  test.each([
    ['no entries', [], 'EmptyBatchRequest'],
    [
      'eleven entries',
      Array.from({ length: 11 }, (_, n) => ({ Id: `n${n}`, MessageBody: 'a' })),
      'TooManyEntriesInBatchRequest',
    ],
    ['duplicate ids', Array.from({ length: 2 }, () => ({ Id: 'n', MessageBody: 'a' })), 'BatchEntryIdsNotDistinct'],
    [
      'more than a mebibyte',
      Array.from({ length: 2 }, (_, n) => ({ Id: `n${n}`, MessageBody: 'a'.repeat(600_000) })),
      'BatchRequestTooLong',
    ],
  ])('refuses a batch of %s', async (_title, Entries, name) => {
    await expect(
      fixture.client.send(new SendMessageBatchCommand({ QueueUrl: fixture.url, Entries })),
    ).rejects.toMatchObject({ name });
    expect(await bodies()).toEqual([]);
  });

  test('refuses a message over its maximum size, attributes included', async () => {
    fixture.url = fixture.queue('Small', { MaximumMessageSize: 1024 });
    await send('a'.repeat(1024));
    const attribute = { MessageAttributes: { one: { DataType: 'Binary', BinaryValue: new Uint8Array(8) } } };
    await send('a'.repeat(1024 - 17), attribute);
    await expect(send('a'.repeat(1024 - 16), attribute)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });

  test('requires the same permission for a batch as for one message', () => {
    const call = (operation: string) => ({
      service: 'sqs',
      method: 'POST',
      path: '/',
      body: Buffer.from(JSON.stringify({ QueueUrl: fixture.url })),
      headers: { 'x-amz-target': `AmazonSQS.${operation}` },
    });
    const permission = [{ action: 'sqs:SendMessage', resource: arnOf('Things') }];
    expect(fixture.sqs.permissions(call('SendMessage'))).toEqual(permission);
    expect(fixture.sqs.permissions(call('SendMessageBatch'))).toEqual(permission);
  });

  test.each([
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
      'a new visibility timeout without a receipt',
      'ChangeMessageVisibility',
      { ReceiptHandle: 'x', VisibilityTimeout: 1 },
      'MessageNotInflight',
    ],
    ['an unsupported operation', 'AddPermission', {}, 'UnsupportedOperation'],
    ['a property of Object.prototype as operation', 'constructor', {}, 'UnsupportedOperation'],
    ['a body that is not JSON', 'SendMessage', '{', 'InvalidParameterValue'],
  ])('refuses %s', async (_title, operation, body, code) => {
    const answer = await fixture.sqs.answer({
      service: 'sqs',
      method: 'POST',
      path: '/',
      headers: { 'x-amz-target': `AmazonSQS.${operation}` },
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify({ QueueUrl: fixture.url, ...body })),
    });
    expect(answer).toMatchObject({ status: 400, headers: { 'x-amzn-errortype': code } });
  });
});

describe('A queue policy', () => {
  const rule = 'arn:aws:events:eu-central-1:000000000000:rule/bus/one';
  const policy = (statement: object) => ({
    Effect: 'Allow',
    Action: 'sqs:SendMessage',
    Principal: { Service: 'events.amazonaws.com' },
    Resource: arnOf('Things'),
    ...statement,
  });
  const permits = async (...Statement: object[]) => {
    const sqs = createSqs({ ...account, endpointUrl: 'http://127.0.0.1:9', dataFolder: '/nowhere' });
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

  test.each<[string, boolean, object[]]>([
    ['allows a named service', true, [policy({})]],
    ['allows a service for a named rule', true, [tls, policy({ Condition: { ArnEquals: { 'aws:SourceArn': rule } } })]],
    [
      'allows a service for rules of a pattern',
      true,
      [policy({ Condition: { ArnLike: { 'AWS:SourceArn': 'arn:*:rule/bus/*' } } })],
    ],
    [
      'allows a service for an account',
      true,
      [policy({ Condition: { StringEquals: { 'aws:SourceAccount': '000000000000' } } })],
    ],
    ['does not allow another rule', false, [policy({ Condition: { ArnEquals: { 'aws:SourceArn': `${rule}2` } } })]],
    ['does not allow another service', false, [policy({ Principal: { Service: 'sns.amazonaws.com' } })]],
    ['does not allow another action', false, [policy({ Action: 'sqs:ReceiveMessage' })]],
    [
      'does not allow with an unsupported condition',
      false,
      [policy({ Condition: { Bool: { 'aws:SourceArn': rule } } })],
    ],
    ['does not allow with Deny statements only', false, [tls]],
    ['allows everyone', true, [policy({ Principal: '*' })]],
    ['allows everyone, as AWS', true, [policy({ Principal: { AWS: ['*'] } })]],
    ['does not allow for the service what is allowed for an account', false, [policy({ Principal: { AWS: '0' } })]],
    ['does not allow for another queue', false, [policy({ Resource: arnOf('Other') })]],
    ['does not allow what is denied', false, [policy({}), policy({ Effect: 'Deny', Principal: '*' })]],
    [
      'does not allow what is denied to all other rules',
      false,
      [policy({}), policy({ Effect: 'Deny', Condition: { ArnNotEquals: { 'aws:SourceArn': `${rule}2` } } })],
    ],
    [
      'allows the rule that is exempt from a denial',
      true,
      [policy({}), policy({ Effect: 'Deny', Condition: { ArnNotEquals: { 'aws:SourceArn': rule } } })],
    ],
    [
      'does not allow what is denied with an unsupported condition',
      false,
      [policy({}), policy({ Effect: 'Deny', Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } })],
    ],
    ['takes booleans as text', true, [policy({ Condition: { Bool: { 'aws:SecureTransport': true } } })]],
  ])('%s', async (_title, expected, statements) => {
    expect(await permits(...statements)).toBe(expected);
  });
});

import { createSqs } from '../../sqs';
import { account, arnOf, makeQueue } from './fixture';

describe('A queue policy', () => {
  const rule = 'arn:aws:events:eu-central-1:000000000000:rule/bus/one';
  const policy = (statement: object) => ({
    Effect: 'Allow',
    Action: 'sqs:SendMessage',
    Principal: { Service: 'events.amazonaws.com' },
    ...statement,
    Resource: arnOf('Things'),
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
  ])('%s', async (_title, expected, statements) => {
    expect(await permits(...statements)).toBe(expected);
  });
});

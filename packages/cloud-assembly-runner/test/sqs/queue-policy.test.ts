import { createSqs } from '../../sqs';
import { account, arnOf, makeQueue } from './fixture';

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

import { environmentOf, ownFunctions, permissionsIn } from '../permissions';
import { smallTable, synthesise } from '../synthesised';

const stack = synthesise({}, smallTable);
const { byPath } = stack;
const { nameOf } = permissionsIn(stack);
const functions = ownFunctions(stack);
const queue = byPath('AWS::SQS::Queue')['ShareExpiry/Ends']?.Properties;
const mapping = byPath('AWS::Lambda::EventSourceMapping')['ShareExpiry/FromEnds']?.Properties;

test('the queue of ends is encrypted and requires TLS', () => {
  expect(queue).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 24 * 3600 });
  expect(byPath('AWS::SQS::QueuePolicy')['ShareExpiry/Ends/Policy']?.Properties['PolicyDocument']).toMatchObject({
    Statement: [{ Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
  });
});

test('failed ends go to the same dead-letter queue as failed schedules', () => {
  const { deadLetterTargetArn, maxReceiveCount } = queue?.['RedrivePolicy'] as Record<string, unknown>;
  const schedule = functions['ShareExpiry/OnShareChange/Function'];
  for (const target of [deadLetterTargetArn, environmentOf(schedule)['EXPIRY_FAILURES_ARN']])
    expect(nameOf(target)).toBe('ShareExpiry/Failures');
  expect(maxReceiveCount).toBe(5);
});

test('ends are consumed in batches of ten by fewer than twenty instances, and only failed messages are retried', () => {
  expect(mapping).toMatchObject({ BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] });
  expect([nameOf(mapping?.['EventSourceArn']), nameOf(mapping?.['FunctionName'])]).toEqual([
    'ShareExpiry/Ends',
    'ShareExpiry/ExpireShares/Function',
  ]);
  const { MaximumConcurrency } = mapping?.['ScalingConfig'] as { MaximumConcurrency: number };
  expect(MaximumConcurrency).toBeLessThan(20);
  // A batching window would delay ends.
  expect(mapping).not.toHaveProperty('MaximumBatchingWindowInSeconds');
});

test('the visibility timeout is six times the function’s timeout, as Lambda recommends', () => {
  const seconds = Number(functions['ShareExpiry/ExpireShares/Function']?.Properties['Timeout']);
  expect(queue?.['VisibilityTimeout']).toBeGreaterThanOrEqual(6 * seconds);
});

test('schedules and functions send ends to this queue', () => {
  const environment = environmentOf(functions['ShareExpiry/OnShareChange/Function']);
  expect(nameOf(environment['SHARE_END_QUEUE_ARN'])).toBe('ShareExpiry/Ends');
  for (const name of ['OnShareChange', 'ExpireShares'])
    expect(nameOf(environmentOf(functions[`ShareExpiry/${name}/Function`])['SHARE_END_QUEUE_URL'])).toBe(
      'ShareExpiry/Ends',
    );
});

import { environmentOf, ownFunctions, permissionsIn } from '../permissions';
import { smallTable, synthesise } from '../synthesised';

const stack = synthesise({}, smallTable);
const { byPath } = stack;
const { nameOf } = permissionsIn(stack);
const functions = ownFunctions(stack);
const path = 'Realtime/ViewerCounts';
const queue = byPath('AWS::SQS::Queue')[`${path}/Changed`]?.Properties;

test('the queue of counts is encrypted and requires TLS', () => {
  expect(queue).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 300 });
  expect(byPath('AWS::SQS::QueuePolicy')[`${path}/Changed/Policy`]?.Properties['PolicyDocument']).toMatchObject({
    Statement: [{ Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
  });
});

test('counts are consumed in batches of ten, and only failed messages are retried', () => {
  const mapping = byPath('AWS::Lambda::EventSourceMapping')[`${path}/FromChanged`]?.Properties;
  expect(mapping).toMatchObject({ BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] });
  expect([nameOf(mapping?.['EventSourceArn']), nameOf(mapping?.['FunctionName'])]).toEqual([
    `${path}/Changed`,
    `${path}/CountViewers/Function`,
  ]);
  // With a batching window a count would take more than two seconds.
  expect(mapping).not.toHaveProperty('MaximumBatchingWindowInSeconds');
});

test('the visibility timeout is six times the function’s timeout, as Lambda recommends', () => {
  const seconds = Number(functions[`${path}/CountViewers/Function`]?.Properties['Timeout']);
  expect(queue?.['VisibilityTimeout']).toBeGreaterThanOrEqual(6 * seconds);
});

test('every function that requests counts has this queue in its environment', () => {
  const urls = Object.values(functions).map((lambda) => environmentOf(lambda)['VIEWER_COUNT_QUEUE_URL']);
  const requesters = urls.filter((url) => url !== undefined).map(nameOf);
  expect(requesters.length).toBeGreaterThan(5);
  expect(new Set(requesters)).toEqual(new Set([`${path}/Changed`]));
});

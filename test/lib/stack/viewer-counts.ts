import { environmentOf, ownFunctions, rightsIn } from '../rights';
import { smallTable, synthesise } from '../synthesised';

const stack = synthesise({}, smallTable);
const { byPath } = stack;
const { nameOf } = rightsIn(stack);
const functions = ownFunctions(stack);
const place = 'StatusChannels/ViewerCounts';
const queue = byPath('AWS::SQS::Queue')[`${place}/Changed`]?.Properties;

test('Shares whose viewers are to be counted wait in a queue that is encrypted and reached over TLS only', () => {
  expect(queue).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 300 });
  expect(byPath('AWS::SQS::QueuePolicy')[`${place}/Changed/Policy`]?.Properties['PolicyDocument']).toMatchObject({
    Statement: [{ Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
  });
});

test('They are counted in batches of ten, of which one that fails comes back alone', () => {
  const mapping = byPath('AWS::Lambda::EventSourceMapping')[`${place}/FromChanged`]?.Properties;
  expect(mapping).toMatchObject({ BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] });
  expect([nameOf(mapping?.['EventSourceArn']), nameOf(mapping?.['FunctionName'])]).toEqual([
    `${place}/Changed`,
    `${place}/CountViewers/Function`,
  ]);
  // A window would let a share change its number later than two seconds.
  expect(mapping).not.toHaveProperty('MaximumBatchingWindowInSeconds');
});

test('A message stays hidden six times as long as the function may take, as Lambda advises', () => {
  const seconds = Number(functions[`${place}/CountViewers/Function`]?.Properties['Timeout']);
  expect(queue?.['VisibilityTimeout']).toBeGreaterThanOrEqual(6 * seconds);
});

test('Whoever asks for a count is told of that queue', () => {
  const asking = Object.values(functions).map((lambda) => environmentOf(lambda)['VIEWER_COUNT_QUEUE_URL']);
  const told = asking.filter((url) => url !== undefined).map(nameOf);
  expect(told.length).toBeGreaterThan(5);
  expect(new Set(told)).toEqual(new Set([`${place}/Changed`]));
});

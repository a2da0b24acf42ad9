import { ownFunctions, rightsIn } from '../rights';
import { referred, synthesise } from '../synthesised';

const stack = synthesise({ simulatedFleet: 'true' });
const { nameOf, rightsOf } = rightsIn(stack);

/** Places of the functions that may send messages to the queue that calls them. */
const looping = Object.values(stack.byPath('AWS::Lambda::EventSourceMapping'))
  .map(({ Properties }) => ({
    place: nameOf(Properties['FunctionName']).replace(/\/Function$/, ''),
    queue: stack.resources[referred(Properties['EventSourceArn'])],
    source: Properties['EventSourceArn'],
  }))
  .filter(({ queue }) => queue?.Type === 'AWS::SQS::Queue')
  .filter(({ place, source }) => rightsOf(place).includes(`Allow sqs:SendMessage ${nameOf(source)}`))
  .map(({ place }) => place);

test('Lambda lets a function that sends to its own queue go on after 16 rounds, and no other function', () => {
  const allowed = Object.entries(ownFunctions(stack))
    .filter(([, { Properties }]) => Properties['RecursiveLoop'] === 'Allow')
    .map(([place]) => place.replace(/\/Function$/, ''));
  expect(looping).toEqual(['Telemetry/WatchSilence']);
  expect(allowed).toEqual(looping);
});

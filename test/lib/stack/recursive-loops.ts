import { ownFunctions, permissionsIn } from '../permissions';
import { referred, synthesise } from '../synthesised';

const stack = synthesise({ simulatedFleet: 'true' });
const { nameOf, permissionsOf } = permissionsIn(stack);

/** Paths of the functions that may send messages to the queue that invokes them. */
const looping = Object.values(stack.byPath('AWS::Lambda::EventSourceMapping'))
  .map(({ Properties }) => ({
    path: nameOf(Properties['FunctionName']).replace(/\/Function$/, ''),
    queue: stack.resources[referred(Properties['EventSourceArn'])],
    source: Properties['EventSourceArn'],
  }))
  .filter(({ queue }) => queue?.Type === 'AWS::SQS::Queue')
  .filter(({ path, source }) => permissionsOf(path).includes(`Allow sqs:SendMessage ${nameOf(source)}`))
  .map(({ path }) => path);

test('recursive loops are allowed only for the functions that send to their own queue', () => {
  const allowed = Object.entries(ownFunctions(stack))
    .filter(([, { Properties }]) => Properties['RecursiveLoop'] === 'Allow')
    .map(([path]) => path.replace(/\/Function$/, ''));
  expect(looping).toEqual(['Realtime/Telemetry/CheckDevices', 'ShareExpiry/ExpireShares']);
  expect(allowed).toEqual(looping);
});

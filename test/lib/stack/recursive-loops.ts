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

/** It sends an event of the bus to its queue once, and nothing that comes from there: a loop would be a defect. */
const once = 'PlatformIntegration/InboundEvents/ConsumePlatformEvents';

test('recursive loops are allowed only for the functions that send to their own queue again and again', () => {
  const allowed = Object.entries(ownFunctions(stack))
    .filter(([, { Properties }]) => Properties['RecursiveLoop'] === 'Allow')
    .map(([path]) => path.replace(/\/Function$/, ''));
  expect(looping.sort()).toEqual([once, 'Realtime/Telemetry/CheckDevices', 'ShareExpiry/ExpireShares']);
  expect(allowed.sort()).toEqual(looping.filter((path) => path !== once));
});

import { environmentOf, ownFunctions, permissionsIn } from '../permissions';
import { smallTable, synthesise } from '../synthesised';

const stack = synthesise({}, smallTable);
const { byPath } = stack;
const { nameOf, permissionsOf } = permissionsIn(stack);
const functions = ownFunctions(stack);
const sendSnapshot = 'Realtime/Snapshots/SendSnapshot/Function';

test('only the functions that accept connections and subscriptions request snapshots, and the fan-out the end of a share', () => {
  const requesters = Object.keys(functions).filter((path) => 'SNAPSHOT_FUNCTION' in environmentOf(functions[path]));
  expect(requesters.sort()).toEqual([
    'Realtime/Actions/Subscribe/Function',
    'Realtime/FanOut/StatusFanOut/Function',
    'Realtime/WebSocket/Connect/Function',
  ]);
  for (const path of requesters) expect(nameOf(environmentOf(functions[path])['SNAPSHOT_FUNCTION'])).toBe(sendSnapshot);
  const allowed = Object.keys(functions)
    .map((path) => path.replace(/\/Function$/, ''))
    .filter((path) => permissionsOf(path).includes(`Allow lambda:InvokeFunction ${sendSnapshot}`));
  expect(allowed.map((path) => `${path}/Function`).sort()).toEqual(requesters);
});

test('no function reads a stream of connections, since a flood of them would delay all others', () => {
  const sources = Object.values(byPath('AWS::Lambda::EventSourceMapping')).map(({ Properties }) =>
    nameOf(Properties['EventSourceArn']),
  );
  expect(sources.filter((source) => source.startsWith('connections'))).toEqual([]);
});

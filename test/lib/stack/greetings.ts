import { environmentOf, ownFunctions, rightsIn } from '../rights';
import { smallTable, synthesise } from '../synthesised';

const stack = synthesise({}, smallTable);
const { byPath } = stack;
const { nameOf, rightsOf } = rightsIn(stack);
const functions = ownFunctions(stack);
const greet = 'StatusChannels/Greetings/GreetConnection/Function';

test('A greeting is tried once, and not at all for who came more than a minute ago: its client has come back by then', () => {
  const configs = Object.values(byPath('AWS::Lambda::EventInvokeConfig')).map(({ Properties }) => Properties);
  expect(configs).toMatchObject([{ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60, Qualifier: '$LATEST' }]);
  expect(nameOf(configs[0]?.['FunctionName'])).toBe(greet);
});

test('Those who let connections in, and they alone, ask for greetings, of the function that they are told of', () => {
  const asking = Object.keys(functions).filter((place) => 'GREET_FUNCTION' in environmentOf(functions[place]));
  expect(asking.sort()).toEqual(['StatusChannels/Sockets/Connect/Function', 'Telemetry/subscribe/Function']);
  for (const place of asking) expect(nameOf(environmentOf(functions[place])['GREET_FUNCTION'])).toBe(greet);
  const allowed = Object.keys(functions)
    .map((place) => place.replace(/\/Function$/, ''))
    .filter((place) => rightsOf(place).includes(`Allow lambda:InvokeFunction ${greet}`));
  expect(allowed.map((place) => `${place}/Function`).sort()).toEqual(asking);
});

test('No stream tells of connections: a flood of them would keep everybody else waiting', () => {
  const sources = Object.values(byPath('AWS::Lambda::EventSourceMapping')).map(({ Properties }) =>
    nameOf(Properties['EventSourceArn']),
  );
  expect(sources.filter((source) => source.startsWith('connections'))).toEqual([]);
});

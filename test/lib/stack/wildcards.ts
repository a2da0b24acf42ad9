import { policiesIn } from '../permissions';
import { synthesise } from '../synthesised';

/** Actions without resource-level permissions (AWS service authorization reference). */
const withoutResource = [
  'xray:PutTraceSegments',
  'xray:PutTelemetryRecords',
  'dynamodb:ListStreams',
  'events:ListRules',
];

const policies = Object.entries(policiesIn(synthesise({ simulatedFleet: 'true' })));

test('only actions without resource-level permissions are granted on *', () => {
  const onAnyResource = policies.flatMap(([path, { Statement }]) =>
    Statement.filter(({ Resource }) => [Resource].flat().includes('*'))
      .flatMap(({ Action }) => Action)
      .filter((action) => !withoutResource.includes(action))
      .map((action) => `${path} ${action}`),
  );
  expect(policies.length).toBeGreaterThan(35);
  expect(onAnyResource).toEqual([]);
});

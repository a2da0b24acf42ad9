import { synthesise } from '../synthesised';

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
}

/** Actions without resource-level permissions (AWS service authorization reference). */
const withoutResource = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords', 'dynamodb:ListStreams'];

const policies = Object.entries(synthesise({ simulatedFleet: 'true' }).byPath('AWS::IAM::Policy'));

test('only actions without resource-level permissions are granted on *', () => {
  const onAnyResource = policies.flatMap(([path, { Properties }]) =>
    (Properties['PolicyDocument'] as { Statement: Statement[] }).Statement.filter(({ Resource }) =>
      [Resource].flat().includes('*'),
    )
      .flatMap(({ Action }) => Action)
      .filter((action) => !withoutResource.includes(action))
      .map((action) => `${path} ${action}`),
  );
  expect(policies.length).toBeGreaterThan(35);
  expect(onAnyResource).toEqual([]);
});

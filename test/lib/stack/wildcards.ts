import { synthesise } from '../synthesised';

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
}

/** Actions for which IAM takes no resource (service authorization reference). */
const withoutResource = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords', 'dynamodb:ListStreams'];

const policies = Object.entries(synthesise({ simulatedFleet: 'true' }).byPath('AWS::IAM::Policy'));

test('Nothing may be done with any resource but what has none to name: no acknowledged finding hides a wildcard', () => {
  const anywhere = policies.flatMap(([place, { Properties }]) =>
    (Properties['PolicyDocument'] as { Statement: Statement[] }).Statement.filter(({ Resource }) =>
      [Resource].flat().includes('*'),
    )
      .flatMap(({ Action }) => Action)
      .filter((action) => !withoutResource.includes(action))
      .map((action) => `${place} ${action}`),
  );
  expect(policies.length).toBeGreaterThan(35);
  expect(anywhere).toEqual([]);
});

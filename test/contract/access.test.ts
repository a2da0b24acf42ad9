import fc from 'fast-check';
import { endpointsFor, endpointTable, routeOf } from '../../contract/access';
import { scopes, type Scope } from '../../contract/endpoint';
import { promised } from './fixtures/promised';

/** The endpoints of the spec that a scope grants. */
const grantedBy = (scope: Scope) =>
  Object.entries(promised).flatMap(([key, [needed]]) => (needed === scope ? [key] : []));

test.each(scopes)('the scope %s grants the endpoints of the spec and no others', (scope) => {
  expect([...endpointsFor([scope])].sort()).toEqual(grantedBy(scope).sort());
});

test('several scopes grant the endpoints of each', () => {
  fc.assert(
    fc.property(fc.subarray([...scopes]), (granted) => {
      expect([...endpointsFor(granted)].sort()).toEqual(granted.flatMap(grantedBy).sort());
    }),
  );
});

test('all scopes together grant every endpoint except the token endpoint', () => {
  const others = Object.keys(endpointTable).filter((key) => key !== 'POST /v3/auth/token');
  expect([...endpointsFor(scopes)].sort()).toEqual(others.sort());
});

test.each([[[]], [['']], [['command']], [['command:*']], [['COMMAND:READ']], [['command:read ']]])(
  'the scopes %j grant no endpoint',
  (granted) => {
    expect(endpointsFor(granted)).toEqual([]);
  },
);

test('the required scope of every endpoint is in the list of scopes', () => {
  const required = Object.values(endpointTable).flatMap(({ scope }) => scope ?? []);
  expect(scopes).toEqual(expect.arrayContaining(required));
});

test('the key of an endpoint is its method and path', () => {
  expect(routeOf('PATCH /v3/jobs/{jobId}')).toEqual({ method: 'PATCH', path: '/v3/jobs/{jobId}' });
});

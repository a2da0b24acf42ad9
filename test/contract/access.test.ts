import fc from 'fast-check';
import { endpointsFor, endpointTable, routeOf, whatIsLacking } from '../../contract/access';
import { scopes, scopesOf, type Scope } from '../../contract/endpoint';
import { promised } from './fixtures/promised';

const specified = Object.keys(promised);
/** The endpoints of the spec that a scope grants. */
const grantedBy = (scope: Scope) =>
  Object.entries(promised).flatMap(([key, [needed]]) => (needed === scope ? [key] : []));

test.each(scopes)('of the endpoints of the spec the scope %s grants those that it has there', (scope) => {
  const granted = endpointsFor([scope]).filter((key) => specified.includes(key));
  expect(granted.sort()).toEqual(grantedBy(scope).sort());
});

test('several scopes grant the endpoints of each', () => {
  fc.assert(
    fc.property(fc.subarray([...scopes]), (granted) => {
      const ofEach = new Set(granted.flatMap((scope) => endpointsFor([scope])));
      expect([...endpointsFor(granted)].sort()).toEqual([...ofEach].sort());
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
  const required = Object.values(endpointTable).flatMap(scopesOf);
  expect(scopes).toEqual(expect.arrayContaining(required));
});

test('what a token lacks are the scopes of the endpoints that it may not call, so none for an endpoint that any scope allows', () => {
  expect(whatIsLacking(scopes.filter((scope) => scope !== 'share:manage'))).toBe('needs scope share:manage');
  expect(whatIsLacking(scopes.filter((scope) => !['share:manage', 'stream:publish'].includes(scope)))).toBe(
    'needs scope share:manage',
  );
  expect(whatIsLacking([])).toContain(scopes.find((scope) => scope === 'stream:publish'));
});

test('the key of an endpoint is its method and path', () => {
  expect(routeOf('PATCH /v3/jobs/{jobId}')).toEqual({ method: 'PATCH', path: '/v3/jobs/{jobId}' });
});

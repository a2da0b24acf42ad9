import { endpointTable, routeOf } from '../../contract/endpoint-table';
import { scopes, scopesOf } from '../../contract/terms/scopes';

test('the required scope of every endpoint is in the list of scopes', () => {
  const required = Object.values(endpointTable).flatMap(scopesOf);
  expect(scopes).toEqual(expect.arrayContaining(required));
});

test('the key of an endpoint is its method and path', () => {
  expect(routeOf('PATCH /v3/jobs/{jobId}')).toEqual({ method: 'PATCH', path: '/v3/jobs/{jobId}' });
});

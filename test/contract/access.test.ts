import fc from 'fast-check';
import { endpointsFor, endpointTable, routeOf, scopes } from '../../contract/access';

/** Spec sections 4 and 5, written out: what each scope grants. */
const grants = {
  'command:create': ['POST /v3/jobs/create'],
  'command:read': ['GET /v3/jobs', 'GET /v3/jobs/{jobId}'],
  'command:update': ['PATCH /v3/jobs/{jobId}', 'DELETE /v3/jobs/{jobId}', 'POST /v3/jobs/{jobId}/cancel'],
  'stream:share': ['POST /v3/streams/share'],
  'stream:publish': [],
  'share:read': [
    'GET /v3/shares',
    'GET /v3/shares/{shareCode}',
    'GET /v3/shares/{shareCode}/resources',
    'GET /v3/streams/share',
    'GET /v3/streams/share/{shareCode}',
  ],
  'share:manage': ['DELETE /v3/shares/{shareCode}', 'DELETE /v3/streams/share/{shareCode}'],
  'resources:read': ['GET /v3/resources'],
} satisfies Record<(typeof scopes)[number], string[]>;

test.each(scopes)('%s opens the endpoints of the spec and no others.', (scope) => {
  expect([...endpointsFor([scope])].sort()).toEqual([...grants[scope]].sort());
});

test('Scopes together open what each of them opens.', () => {
  fc.assert(
    fc.property(fc.subarray([...scopes]), (held) => {
      expect([...endpointsFor(held)].sort()).toEqual(held.flatMap((scope) => [...grants[scope]]).sort());
    }),
  );
});

test('No scope opens the token endpoint; all of them together open every other one.', () => {
  const others = Object.keys(endpointTable).filter((key) => key !== 'POST /v3/auth/token');
  expect([...endpointsFor(scopes)].sort()).toEqual(others.sort());
});

test.each([[[]], [['']], [['command']], [['command:*']], [['COMMAND:READ']], [['command:read ']]])(
  'The scopes %j open nothing.',
  (held) => {
    expect(endpointsFor(held)).toEqual([]);
  },
);

test('Every scope that an endpoint asks for is one that a client can be given.', () => {
  const asked = Object.values(endpointTable).flatMap(({ scope }) => scope ?? []);
  expect(scopes).toEqual(expect.arrayContaining(asked));
});

test('The key of an endpoint is its method and path.', () => {
  expect(routeOf('PATCH /v3/jobs/{jobId}')).toEqual({ method: 'PATCH', path: '/v3/jobs/{jobId}' });
});

import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { handler as revokeShare } from '../../../lambdas/shares/revoke-share.lambda';
import { handler as listShareResources } from '../../../lambdas/shares/list-share-resources.lambda';
import { handler as createShare } from '../../../lambdas/shares/create-share.lambda';
import { serve } from '../fixtures/serve';
import { acme, id, sampleShare } from '../../domain/fixtures/samples';
import { conditionFailed, store, transactionCancelled } from '../../data/fixtures/store';
import { call, requestId } from '../fixtures/api-gateway';
import { logLines, written } from '../fixtures/log';

const secret = 'kx9mhush7q2v5w8y1z3a4b6c';
const share = {
  ...sampleShare({ shareCode: id('share', acme, secret), expiresAt: '2999-01-01T00:00:00.000Z' }),
  organisation: acme,
};
const line = { message: 'request', requestId, clientId: 'client1', organisation: acme };

const requests = {
  path: { shareCode: share.shareCode },
  headers: { Authorization: `Bearer ${secret}`, Cookie: secret, 'Idempotency-Key': secret },
  body: { resourceId: secret, shareType: secret, [secret]: secret, metadata: { note: secret } },
};

test('logs one line per request with endpoint, client and status', async () => {
  store.onAnyCommand().resolves({});
  await call(revokeShare, { scopes: ['share:manage'], path: { shareCode: share.shareCode } });
  expect(logLines()).toMatchObject([
    { ...line, level: 'INFO', endpoint: 'DELETE /v3/shares/{shareCode}', status: 200 },
  ]);
  expect(logLines()[0]?.['durationMs']).toEqual(expect.any(Number));
});

test('logs a request without a caller without a client id', async () => {
  await call(revokeShare, { path: { shareCode: share.shareCode } });
  expect(logLines()).toMatchObject([{ status: 401 }]);
  expect(logLines()[0]).not.toHaveProperty('clientId');
});

test.each([
  ['is refused for its input', createShare, 400, () => store.on(UpdateCommand).resolves({ Attributes: { calls: 1 } })],
  ['is refused for its limit', createShare, 429, () => store.on(UpdateCommand).resolves({ Attributes: { calls: 99 } })],
  ['finds its share', revokeShare, 200, () => store.onAnyCommand().resolves({})],
  ['finds no share', revokeShare, 404, () => store.onAnyCommand().rejects(conditionFailed())],
  [
    'fails at a condition that cannot fail',
    revokeShare,
    500,
    () => store.onAnyCommand().rejects(conditionFailed(share)),
  ],
  ['reads an invalid share', revokeShare, 500, () => store.onAnyCommand().rejects(conditionFailed({ note: secret }))],
  ['gets no count of its limit', listShareResources, 500, () => store.onAnyCommand().resolves({})],
] as const)('logs no secret, token or body when a request %s', async (_, handler, status, prepare) => {
  prepare();
  await call(handler, { scopes: ['share:read', 'share:manage', 'stream:share'], ...requests });
  expect(logLines()).toMatchObject([{ ...line, status }]);
  expect(written.join('')).not.toContain(secret);
});

test('logs no secret when a request is refused for its query', async () => {
  const query = { nextToken: [secret], [secret]: [secret] };
  await call(revokeShare, { scopes: ['share:manage'], ...requests, query });
  expect(logLines()).toMatchObject([{ ...line, status: 400 }]);
  expect(written.join('')).not.toContain(secret);
});

test.each([
  ['a failed condition', conditionFailed({ shareCode: secret })],
  ['a cancelled transaction', transactionCancelled(['ConditionalCheckFailed', { reply: secret }])],
  [
    'an error with further properties',
    Object.assign(new Error('lost'), { token: secret, response: { headers: { token: secret } } }),
  ],
])('logs neither items nor further properties of %s', async (_, error) => {
  await call(
    serve('GET /v3/resources', () => Promise.reject(error)),
    { scopes: ['resources:read'] },
  );
  expect(logLines()).toMatchObject([
    { error: { name: error.name, stack: expect.stringContaining(error.message) as string } },
  ]);
  expect(written.join('')).not.toContain(secret);
});

test('logs the cause of an error', async () => {
  const error = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
  await call(
    serve('GET /v3/resources', () => Promise.reject(error)),
    { scopes: ['resources:read'] },
  );
  expect(logLines()).toMatchObject([{ error: { message: 'fetch failed', cause: 'connect ECONNREFUSED' } }]);
});

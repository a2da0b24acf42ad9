import { claims, keys, openIssuer, sign } from '../fixtures/issuer';
import { handler } from '../../../lambdas/channels/authorize-connection.lambda';
import { logLines, written } from '../fixtures/log';

// The verifier caches the keys once fetched, so the tests without keys have a file of their own.
const clientId = 'a1b2c3d4e5f6g7h8i9j0k1l2m3';

test.each([
  ['is unreachable', new Error('connect ECONNREFUSED')],
  ['fails', { status: 500, body: '' }],
  ['answers with other JSON', { status: 200, body: '{"message":"ok"}' }],
] as const)('refuses every connection and logs an error while the issuer %s', async (_, answer) => {
  const key = await openIssuer();
  keys.answer = answer;
  const token = await sign(key, { ...claims('command:read'), client_id: clientId });
  const mqtt = { username: clientId, password: Buffer.from(token).toString('base64'), clientId };
  await expect(handler({ protocolData: { mqtt } })).resolves.toEqual({ isAuthenticated: false });
  expect(logLines()).toMatchObject([{ level: 'ERROR' }]);
  expect(written.join()).not.toContain(token);
});

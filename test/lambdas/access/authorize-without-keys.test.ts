import { claims, keys, openIssuer, sign } from '../fixtures/issuer';
import { handler } from '../../../lambdas/access/authorize.lambda';
import { store } from '../../data/fixtures/store';

// The verifier caches the keys once fetched, so the tests without keys have a file of their own.
const arn = 'arn:aws:execute-api:eu-central-1:123456789012:api1/v1/GET/v3/jobs';
let published: typeof keys.answer;
let token: string;

const authorize = () => handler({ type: 'TOKEN', methodArn: arn, authorizationToken: `Bearer ${token}` });

beforeAll(async () => {
  const key = await openIssuer();
  published = keys.answer;
  token = await sign(key, claims('command:read'));
});

test.each([
  ['is unreachable', new Error('connect ECONNREFUSED')],
  ['fails', { status: 500, body: '' }],
  ['is busy', { status: 429, body: '' }],
  ['answers with HTML', { status: 200, body: '<html>' }],
  ['answers with other JSON', { status: 200, body: '{"message":"ok"}' }],
  ['answers with an incomplete key', { status: 200, body: '{"keys":[{"kid":"key-1"}]}' }],
] as const)('fails with an error, not with a 401, while the issuer %s', async (_, answer) => {
  keys.answer = answer;
  const failure = (await authorize().catch((error: unknown) => error)) as Error;
  expect(failure).toBeInstanceOf(Error);
  expect(failure.message).not.toBe('Unauthorized');
  expect(failure.message).not.toContain(token);
  expect(store).not.toHaveReceivedAnyCommand();
});

test('accepts the same token as soon as the issuer is back', async () => {
  keys.answer = published;
  store.resolves({});
  await expect(authorize()).resolves.toMatchObject({ principalId: 'suspended' });
});

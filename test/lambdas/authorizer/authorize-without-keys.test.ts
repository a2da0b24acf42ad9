import { claims, keys, openIssuer, sign } from '../fixtures/issuer';
import { handler } from '../../../lambdas/authorizer/authorize';
import { store } from '../../data/fixtures/store';

// The keys are kept once they were fetched, so that what happens without them has a file of its own.
const arn = 'arn:aws:execute-api:eu-central-1:123456789012:api1/v1/GET/v3/jobs';
let published: typeof keys.answer;
let token: string;

const ask = () => handler({ type: 'TOKEN', methodArn: arn, authorizationToken: `Bearer ${token}` });

beforeAll(async () => {
  const key = await openIssuer();
  published = keys.answer;
  token = await sign(key, claims('command:read'));
});

test.each([
  ['can not be reached', new Error('connect ECONNREFUSED')],
  ['fails', { status: 500, body: '' }],
  ['is busy', { status: 429, body: '' }],
  ['answers with a page of HTML', { status: 200, body: '<html>' }],
  ['answers with something else', { status: 200, body: '{"message":"ok"}' }],
  ['answers with half a key', { status: 200, body: '{"keys":[{"kid":"key-1"}]}' }],
] as const)('While the issuer %s nobody knows whether a token is good: an error, not a 401.', async (_, answer) => {
  keys.answer = answer;
  const failure = (await ask().catch((error: unknown) => error)) as Error;
  expect(failure).toBeInstanceOf(Error);
  expect(failure.message).not.toBe('Unauthorized');
  expect(failure.message).not.toContain(token);
  expect(store).not.toHaveReceivedAnyCommand();
});

test('As soon as the issuer is back the same token is good again.', async () => {
  keys.answer = published;
  store.resolves({});
  await expect(ask()).resolves.toMatchObject({ principalId: 'denied' });
});

import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { claims, issuer, keys, openIssuer, sign } from '../fixtures/issuer';
import { SignJWT, UnsecuredJWT, generateKeyPair } from 'jose';
import { callerContext } from '../../../contract/terms/caller';
import { handler } from '../../../lambdas/access/authorize.lambda';
import { acme, partner } from '../../domain/fixtures/samples';
import { onlyCommand, store } from '../../data/fixtures/store';

const api = 'arn:aws:execute-api:eu-central-1:123456789012:api1/v1';
const authorize = (token: string, route = '/GET/v3/jobs') =>
  handler({ type: 'TOKEN', methodArn: `${api}${route}`, authorizationToken: token });
const bearer = async (...clientScopes: string[]) => `Bearer ${await sign(key, claims(...clientScopes))}`;
/** A policy on every method of the API. */
const everything = (effect: 'Allow' | 'Deny') => ({
  Version: '2012-10-17',
  Statement: [{ Effect: effect, Action: 'execute-api:Invoke', Resource: `${api}/*` }],
});

/** The verdict on a token that is not accepted, with the cause. */
const deniedFor = (refusal: string) => ({ policyDocument: everything('Deny'), context: { refusal } });

let key: Awaited<ReturnType<typeof openIssuer>>;
beforeAll(async () => {
  key = await openIssuer();
});
beforeEach(() => {
  store.on(GetCommand).resolves({ Item: partner });
});

describe('A valid token', () => {
  test.each([
    ['/GET/v3/resources', ['command:read', 'share:manage']],
    ['/POST/v3/jobs/create/', ['share:read']],
    ['/GET/v3/%6Aobs', []],
  ])('allows every method, whichever was called, such as %s with the scopes %j', async (route, held) => {
    const { principalId, policyDocument } = await authorize(await bearer(...held), route);
    expect(principalId).toBe('client1');
    expect(policyDocument).toEqual(everything('Allow'));
  });

  test('yields a context with client, organisation, scopes and expiry, which API Gateway passes on as text', async () => {
    const content = claims('command:read', 'command:create');
    const { context = {} } = await authorize(`Bearer ${await sign(key, content)}`);
    expect(context).toEqual({
      clientId: 'client1',
      organisation: acme,
      scopes: 'command:read command:create',
      expiresAt: content.exp,
    });
    const asText = Object.fromEntries(Object.entries(context ?? {}).map(([name, value]) => [name, String(value)]));
    expect(context).toMatchObject(callerContext.parse(asText));
  });

  test('yields the own limits of its client as text, if it has any', async () => {
    const limits = { 'POST /v3/jobs/create': 300 };
    store.on(GetCommand).resolves({ Item: { ...partner, limits } });
    const { context = {} } = await authorize(await bearer('command:create'));
    expect(JSON.parse(String(context?.['limits']))).toEqual(limits);
  });

  test('may have scopes of any resource server of this service, since clients keep theirs when the domain changes', async () => {
    const scope = 'https://second.test/command:read https://api.test/command:read https://second.test/share:read';
    const { context = {} } = await authorize(`Bearer ${await sign(key, { ...claims(), scope })}`);
    expect(context).toMatchObject({ scopes: 'command:read share:read' });
  });

  test('costs one read of the partner, and one fetch of the keys for all tokens', async () => {
    await authorize(await bearer('command:read'));
    expect(onlyCommand()).toMatchObject({ TableName: 'partners', Key: { clientId: 'client1' } });
    expect(keys.requested).toEqual([`${issuer}/.well-known/jwks.json`]);
  });

  test.each(['bearer', 'BEARER', 'Bearer  '])('is accepted with the scheme "%s"', async (scheme) => {
    const token = await sign(key, claims('command:read'));
    await expect(authorize(`${scheme} ${token}`)).resolves.toMatchObject({ principalId: 'client1' });
  });

  test.each([
    ['of another resource server', 'https://other.test/command:read'],
    ['of no resource server', 'command:read'],
    ['of a server with the same prefix', 'https://api.testing/command:read'],
    ['with another separator', 'https://api.test#command:read'],
    ['without a name', ''],
  ])('with a scope %s has no scope', async (_, scope) => {
    const { context = {} } = await authorize(`Bearer ${await sign(key, { ...claims(), scope })}`);
    expect(context).toMatchObject({ scopes: '' });
  });
});

describe('A partner', () => {
  test.each([
    ['is unknown', undefined],
    ['is suspended', { ...partner, status: 'suspended' }],
  ])('that %s has no scopes, and the cause as context, for the function that refuses it', async (_, Item) => {
    store.on(GetCommand).resolves(Item ? { Item } : {});
    const verdict = await authorize(await bearer('command:read'));
    expect(verdict.policyDocument).toEqual(everything('Allow'));
    expect(verdict.context).toMatchObject({ scopes: '', refusal: 'the client is suspended or was removed' });
    expect(callerContext.safeParse(verdict.context).success).toBe(true);
  });

  test.each([
    ['the second after it', 1, true],
    ['the same second', 0, true],
    ['the second before it', -1, false],
  ])('whose tokens were revoked is let in with a token of %s only', async (_, later, isLetIn) => {
    const tokensFrom = 1_795_776_000;
    store.on(GetCommand).resolves({ Item: { ...partner, tokensFrom } });
    const verdict = authorize(`Bearer ${await sign(key, { ...claims('command:read'), iat: tokensFrom + later })}`);
    if (isLetIn) await expect(verdict).resolves.toMatchObject({ principalId: 'client1' });
    else await expect(verdict).resolves.toMatchObject(deniedFor('the token is not valid'));
  });

  test('that is suspended is told so, even with a token that was revoked', async () => {
    store.on(GetCommand).resolves({ Item: { ...partner, status: 'suspended', tokensFrom: 9_999_999_999 } });
    const verdict = await authorize(await bearer('command:read'));
    expect(verdict.context).toMatchObject({ scopes: '', refusal: 'the client is suspended or was removed' });
  });

  test('that cannot be read is an error, not a 401', async () => {
    const fault = new Error('throttled');
    store.on(GetCommand).rejects(fault);
    await expect(authorize(await bearer('command:read'))).rejects.toBe(fault);
  });
});

const badTokens: [what: string, make: () => Promise<string> | string, why?: string][] = [
  ['signed with a foreign key', async () => sign((await generateKeyPair('RS256')).privateKey, claims('command:read'))],
  ['signed with an unknown key id', () => sign(key, claims('command:read'), { kid: 'key-2' }), 'of another issuer'],
  ['signed without a key id', () => sign(key, claims('command:read'), { kid: undefined })],
  ['truncated', async () => (await sign(key, claims('command:read'))).slice(0, -9)],
  [
    'without its signature',
    async () => (await sign(key, claims('command:read'))).replace(/\.[^.]+$/, '.'),
    'malformed',
  ],
  ['unsigned, with alg none', () => new UnsecuredJWT(claims('command:read')).encode(), 'malformed'],
  ['signed with a shared secret in place of a key', () => hmac()],
  ['changed after it was signed', async () => altered(await sign(key, claims('command:read')))],
  ['expired', () => sign(key, { ...claims('command:read'), exp: Math.floor(Date.now() / 1000) - 1 }), 'expired'],
  ['without a time of issue', () => sign(key, { ...claims('command:read'), iat: undefined })],
  ['without an expiry', () => sign(key, { ...claims('command:read'), exp: undefined })],
  ['not valid yet', () => sign(key, { ...claims('command:read'), nbf: Math.floor(Date.now() / 1000) + 600 })],
  [
    "another pool's",
    () => sign(key, { ...claims('command:read'), iss: 'https://identity.test/pool-2' }),
    'of another issuer',
  ],
  ['without an issuer', () => sign(key, { ...claims('command:read'), iss: undefined }), 'of another issuer'],
  ['an id token', () => sign(key, { ...claims('command:read'), token_use: 'id' })],
  ['without a client id', () => sign(key, { ...claims('command:read'), client_id: undefined })],
  ['no token at all', () => 'secret', 'malformed'],
  ['empty', () => '', 'malformed'],
];

const hmac = () =>
  new SignJWT(claims('command:read'))
    .setProtectedHeader({ alg: 'HS256', kid: 'key-1' })
    .sign(new TextEncoder().encode('a secret that everyone knows, of 32 bytes'));

/** The token with one more scope in it. */
function altered(token: string): string {
  const [header, , signature] = token.split('.');
  const payload = Buffer.from(JSON.stringify(claims('command:read', 'command:update'))).toString('base64url');
  return [header, payload, signature].join('.');
}

test.each(badTokens)('a token that is %s is denied everything, without a read', async (_, make, why = 'not valid') => {
  await expect(authorize(`Bearer ${await make()}`)).resolves.toMatchObject(
    deniedFor(why === 'expired' ? 'the token has expired' : `the token is ${why}`),
  );
  expect(store).not.toHaveReceivedAnyCommand();
});

test('a token whose key was not found a moment ago is a 401 that is not cached', async () => {
  const unknown = await sign(key, claims('command:read'), { kid: 'key-2' });
  await authorize(`Bearer ${unknown}`).catch(() => undefined);
  await expect(authorize(`Bearer ${unknown}`)).rejects.toThrow(/^Unauthorized$/);
});

test('a valid token with another scheme than Bearer is denied', async () => {
  const basic = authorize(`Basic ${await sign(key, claims('command:read'))}`);
  await expect(basic).resolves.toMatchObject(deniedFor('the token is malformed'));
});

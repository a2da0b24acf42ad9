import { GetCommand } from '../../../data/store/document-client';
import { claims, issuer, keys, openIssuer, sign } from '../fixtures/issuer';
import { SignJWT, UnsecuredJWT, generateKeyPair } from 'jose';
import { endpointsFor, routeOf, scopes } from '../../../contract/access';
import { callerContext } from '../../../contract/caller';
import { handler } from '../../../lambdas/authorizer/authorize';
import { acme } from '../../domain/fixtures/samples';
import { onlyCommand, store } from '../../data/fixtures/store';
import { partner } from '../fixtures/partner';

const api = 'arn:aws:execute-api:eu-central-1:123456789012:api1/v1';
const ask = (token: string, route = '/GET/v3/jobs') =>
  handler({ type: 'TOKEN', methodArn: `${api}${route}`, authorizationToken: token });
const bearer = async (...held: string[]) => `Bearer ${await sign(key, claims(...held))}`;
const statement = (effect: string, resources: string[]) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: effect, Action: 'execute-api:Invoke', Resource: resources }],
});

let key: Awaited<ReturnType<typeof openIssuer>>;
beforeAll(async () => {
  key = await openIssuer();
});
beforeEach(() => {
  store.on(GetCommand).resolves({ Item: partner });
});

describe('A good token', () => {
  test('lets its partner call all that its scopes open, whatever the one call is that was asked for.', async () => {
    const { principalId, policyDocument } = await ask(
      await bearer('command:read', 'share:manage'),
      '/GET/v3/resources',
    );
    expect(principalId).toBe('client1');
    expect(policyDocument).toEqual(
      statement('Allow', [
        `${api}/GET/v3/jobs`,
        `${api}/GET/v3/jobs/*`,
        `${api}/DELETE/v3/streams/share/*`,
        `${api}/DELETE/v3/shares/*`,
      ]),
    );
  });

  test.each(scopes)('with %s alone opens each endpoint of that scope, path parameters included.', async (scope) => {
    const { policyDocument } = await ask(await bearer(scope));
    const opened = endpointsFor([scope]).map((endpoint) => {
      const { method, path } = routeOf(endpoint);
      return `${api}/${method}${path.replace(/\{\w+\}/, '*')}`;
    });
    expect(policyDocument).toEqual(opened.length > 0 ? statement('Allow', opened) : statement('Deny', [`${api}/*`]));
  });

  test('tells the functions who calls, for whom, with which scopes and until when, all as text.', async () => {
    const content = claims('command:read', 'command:create');
    const { context = {} } = await ask(`Bearer ${await sign(key, content)}`);
    expect(context).toEqual({
      clientId: 'client1',
      organisation: acme,
      scopes: 'command:read command:create',
      expiresAt: content.exp,
    });
    const asText = Object.fromEntries(Object.entries(context ?? {}).map(([name, value]) => [name, String(value)]));
    expect(callerContext.parse(asText)).toEqual(context);
  });

  test('may have its scopes under any resource server of ours: clients keep those of the time when they were made.', async () => {
    const scope = 'https://second.test/command:read https://api.test/command:read https://second.test/share:read';
    const { context = {} } = await ask(`Bearer ${await sign(key, { ...claims(), scope })}`);
    expect(context).toMatchObject({ scopes: 'command:read share:read' });
  });

  test('costs one read, of the partner, and the keys are asked for once and for all.', async () => {
    await ask(await bearer('command:read'));
    expect(onlyCommand()).toMatchObject({ TableName: 'partners', Key: { clientId: 'client1' } });
    expect(keys.asked).toEqual([`${issuer}/.well-known/jwks.json`]);
  });

  test.each(['bearer', 'BEARER', 'Bearer  '])('may come as "%s".', async (scheme) => {
    const token = await sign(key, claims('command:read'));
    await expect(ask(`${scheme} ${token}`)).resolves.toMatchObject({ principalId: 'client1' });
  });

  test.each([
    ['of another resource server', 'https://other.test/command:read'],
    ['of no resource server', 'command:read'],
    ['of a server whose name begins alike', 'https://api.testing/command:read'],
    ['that is set off by another sign', 'https://api.test#command:read'],
    ['that is empty', ''],
  ])('with a scope %s opens nothing.', async (_, scope) => {
    const { policyDocument } = await ask(`Bearer ${await sign(key, { ...claims(), scope })}`);
    expect(policyDocument).toEqual(statement('Deny', [`${api}/*`]));
  });
});

describe('A partner', () => {
  test.each([
    ['is unknown', undefined],
    ['is suspended', { ...partner, status: 'suspended' }],
  ])('that %s is denied everything, and the functions hear nothing of it.', async (_, Item) => {
    store.on(GetCommand).resolves(Item ? { Item } : {});
    const verdict = await ask(await bearer('command:read'));
    expect(verdict.policyDocument).toEqual(statement('Deny', [`${api}/*`]));
    expect(verdict).not.toHaveProperty('context');
  });

  test('that can not be read is an error, which is no 401: the token may be fine.', async () => {
    const fault = new Error('throttled');
    store.on(GetCommand).rejects(fault);
    await expect(ask(await bearer('command:read'))).rejects.toBe(fault);
  });
});

const badTokens: [what: string, make: () => Promise<string> | string][] = [
  [
    'forged with a key of its own',
    async () => sign((await generateKeyPair('RS256')).privateKey, claims('command:read')),
  ],
  ['signed by a key that nobody published', () => sign(key, claims('command:read'), { kid: 'key-2' })],
  ['signed without naming its key', () => sign(key, claims('command:read'), { kid: undefined })],
  ['cut', async () => (await sign(key, claims('command:read'))).slice(0, -9)],
  ['robbed of its signature', async () => (await sign(key, claims('command:read'))).replace(/\.[^.]+$/, '.')],
  ['without any signature, and says so', () => new UnsecuredJWT(claims('command:read')).encode()],
  ['signed with a shared secret in place of a key', () => hmac()],
  ['changed after it was signed', async () => altered(await sign(key, claims('command:read')))],
  ['expired', () => sign(key, { ...claims('command:read'), exp: Math.floor(Date.now() / 1000) - 1 })],
  ['without an end', () => sign(key, { ...claims('command:read'), exp: undefined })],
  ['not valid yet', () => sign(key, { ...claims('command:read'), nbf: Math.floor(Date.now() / 1000) + 600 })],
  ["another pool's", () => sign(key, { ...claims('command:read'), iss: 'https://identity.test/pool-2' })],
  ["nobody's", () => sign(key, { ...claims('command:read'), iss: undefined })],
  ['an id token', () => sign(key, { ...claims('command:read'), token_use: 'id' })],
  ["without a client's name", () => sign(key, { ...claims('command:read'), client_id: undefined })],
  ['no token at all', () => 'secret'],
  ['empty', () => ''],
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

test.each(badTokens)('A token that is %s is a 401, and no partner is looked up.', async (_, make) => {
  await expect(ask(`Bearer ${await make()}`)).rejects.toThrow(/^Unauthorized$/);
  expect(store).not.toHaveReceivedAnyCommand();
});

test('A token with which all is well but which nobody called bearer is a 401.', async () => {
  await expect(ask(`Basic ${await sign(key, claims('command:read'))}`)).rejects.toThrow(/^Unauthorized$/);
});

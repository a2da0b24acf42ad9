import { GetCommand } from '../../../data/store/document-client';
import { claims, openIssuer, sign } from '../fixtures/issuer';
import { scopes } from '../../../contract/access';
import { channels } from '../../../contract/channels';
import { channelKinds } from '../../../domain/status-event';
import { handler } from '../../../lambdas/mqtt/authorize-connection';
import { store } from '../../data/fixtures/store';
import { acme, rival } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';
import { partner as kept } from '../fixtures/partner';

const iot = 'arn:aws:iot:eu-central-1:123456789012';
process.env['IOT_ARN'] = iot;

/** As long as Cognito's ids are. */
const clientId = 'a1b2c3d4e5f6g7h8i9j0k1l2m3';
const partner = { ...kept, clientId };
const refused = { isAuthenticated: false };
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

let key: Awaited<ReturnType<typeof openIssuer>>;
beforeAll(async () => {
  key = await openIssuer();
});
beforeEach(() => {
  store.on(GetCommand).resolves({ Item: partner });
});
const tokenWith = (held: readonly string[], change: object = {}) =>
  sign(key, { ...claims(...held), client_id: clientId, ...change });

interface Connecting {
  readonly token?: string;
  readonly username?: string;
  readonly mqttClientId?: string;
}
const connecting = ({ token = '', username = clientId, mqttClientId = `${clientId}-1` }: Connecting) => ({
  protocols: ['tls', 'mqtt'],
  protocolData: {
    mqtt: { username, password: Buffer.from(token).toString('base64'), clientId: mqttClientId },
  },
});
const connect = async (change: Connecting = {}) => handler(connecting({ token: await tokenWith(scopes), ...change }));

interface Statement {
  readonly Effect: string;
  readonly Action: string;
  readonly Resource: string[];
}
function policyOf(answer: Awaited<ReturnType<typeof connect>>) {
  if (!('policyDocuments' in answer)) throw new Error('it was refused');
  const [text = '', ...others] = answer.policyDocuments;
  expect(others).toEqual([]);
  const { Version, Statement: statements } = JSON.parse(text) as { Version: string; Statement: Statement[] };
  expect(Version).toBe('2012-10-17');
  return { text, statements };
}

describe('A good token', () => {
  test('lets its client be itself, and hear its own organisation on every channel. Nothing else.', async () => {
    const { statements } = policyOf(await connect());
    const topics = channelKinds.map((kind) => `${kind}-${acme}-*/${channels[kind].topicSuffix}`);
    expect(statements).toEqual([
      {
        Effect: 'Allow',
        Action: 'iot:Connect',
        Resource: [`${iot}:client/${clientId}-1`],
        // Neither a persistent session nor a last will.
        Condition: { 'ForAllValues:StringEquals': { 'iot:ConnectAttributes': [] } },
      },
      { Effect: 'Allow', Action: 'iot:Subscribe', Resource: topics.map((topic) => `${iot}:topicfilter/${topic}`) },
      { Effect: 'Allow', Action: 'iot:Receive', Resource: topics.map((topic) => `${iot}:topic/${topic}`) },
    ]);
  });

  test.each(scopes)('with %s alone hears what that scope is for.', async (scope) => {
    const { statements } = policyOf(await connect({ token: await tokenWith([scope]) }));
    const kinds = channelKinds.filter((kind) => channels[kind].scope === scope);
    const heard = kinds.map((kind) => `${iot}:topic/${kind}-${acme}-*/${channels[kind].topicSuffix}`);
    expect(statements.filter(({ Action }) => Action === 'iot:Receive').flatMap(({ Resource }) => Resource)).toEqual(
      heard,
    );
    expect(statements).toHaveLength(kinds.length > 0 ? 3 : 1);
  });

  test('opens no topic that begins with a wildcard, and no other organisation’s.', async () => {
    const { text, statements } = policyOf(await connect());
    for (const resource of statements.flatMap(({ Resource }) => Resource)) {
      expect(resource).toMatch(/^arn:aws:iot:[^*]+:(client|topic|topicfilter)\/[^*+#]{9}/);
      expect(resource).not.toContain(rival);
    }
    expect(text).not.toContain('Publish');
  });

  test('makes a policy that IoT takes, with the longest name that a client can give itself.', async () => {
    const { text } = policyOf(await connect({ mqttClientId: `${clientId}${'x'.repeat(102)}` }));
    expect(text.length).toBeLessThanOrEqual(2048);
  });

  test('keeps its session until it ends and no longer, and is looked at again every five minutes.', async () => {
    const answer = await connect({ token: await tokenWith(scopes, { exp: inSeconds(1800) }) });
    expect(answer).toMatchObject({ isAuthenticated: true, principalId: clientId, refreshAfterInSeconds: 300 });
    if (!('disconnectAfterInSeconds' in answer)) throw new Error('it was refused');
    expect(answer.disconnectAfterInSeconds).toBeLessThanOrEqual(1800);
    expect(answer.disconnectAfterInSeconds).toBeGreaterThan(1790);
  });

  test('that lasts for days has a session of one.', async () => {
    const answer = await connect({ token: await tokenWith(scopes, { exp: inSeconds(1e6) }) });
    expect(answer).toMatchObject({ disconnectAfterInSeconds: 86_400 });
  });

  test('is taken with what IoT adds to the user name.', async () => {
    await expect(connect({ username: `${clientId}?SDK=Python&Version=1` })).resolves.toMatchObject({
      isAuthenticated: true,
    });
  });

  test.each(['', '-1', ':drone-7', '_a.b'])('may name its connection with "%s" behind its id.', async (name) => {
    await expect(connect({ mqttClientId: clientId + name })).resolves.toMatchObject({ isAuthenticated: true });
  });
});

describe('Refused is', () => {
  test.each([
    ['none', ''],
    ['nonsense', 'x'],
  ])('a password that is no token: %s.', async (_, token) => {
    await expect(connect({ token })).resolves.toEqual(refused);
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test('a token that ends within five minutes, for IoT can not be told a shorter session.', async () => {
    const ends = (seconds: number) => tokenWith(scopes, { exp: inSeconds(seconds) });
    await expect(connect({ token: await ends(299) })).resolves.toEqual(refused);
    await expect(connect({ token: await ends(-1) })).resolves.toEqual(refused);
    await expect(connect({ token: await ends(302) })).resolves.toMatchObject({ isAuthenticated: true });
  });

  test.each([
    ["another client's user name", { username: 'z'.repeat(26) }],
    ['no user name', { username: '' }],
    ["another client's MQTT client id", { mqttClientId: 'z'.repeat(26) }],
    ['a part of its own', { mqttClientId: clientId.slice(0, -1) }],
    ['no MQTT client id', { mqttClientId: '' }],
    ['a slash in it, which would be a level of a topic', { mqttClientId: `${clientId}/1` }],
    ['a star in it', { mqttClientId: `${clientId}*` }],
    ['a question mark in it', { mqttClientId: `${clientId}?` }],
    ['a plus in it', { mqttClientId: `${clientId}+` }],
    ['a hash in it', { mqttClientId: `${clientId}#` }],
    ['a policy variable in it', { mqttClientId: `${clientId}\${iot:ClientId}` }],
    ['a line behind it', { mqttClientId: `${clientId}\n` }],
    ['one that is too long', { mqttClientId: clientId + 'x'.repeat(103) }],
  ])('a good token with %s.', async (_, change) => {
    await expect(connect(change)).resolves.toEqual(refused);
  });

  test.each([
    ['suspended', { ...partner, status: 'suspended' }],
    ['unknown', undefined],
  ])('a partner that is %s.', async (_, Item) => {
    store.on(GetCommand).resolves(Item ? { Item } : {});
    await expect(connect()).resolves.toEqual(refused);
    expect(logLines()).toMatchObject([{ level: 'INFO', reason: 'forbidden' }]);
  });

  test.each([{}, null, { protocolData: {} }, { protocolData: { mqtt: { username: 'x', clientId: 'x' } } }])(
    'the event %j, which is an error in the log.',
    async (event) => {
      await expect(handler(event)).resolves.toEqual(refused);
      expect(logLines()).toMatchObject([{ level: 'ERROR' }]);
    },
  );

  test('everybody while partners can not be read, which is an error in the log.', async () => {
    store.on(GetCommand).rejects(new Error('throttled'));
    await expect(connect()).resolves.toEqual(refused);
    expect(logLines()).toMatchObject([{ level: 'ERROR', error: { message: 'throttled' } }]);
  });
});

test('No token is in a log, whether it is good or not.', async () => {
  const token = await tokenWith(scopes);
  await connect({ token });
  await connect({ token, username: 'x' });
  await connect({ token: `${token}x` });
  expect(written.join()).not.toContain(token.slice(0, 40));
});

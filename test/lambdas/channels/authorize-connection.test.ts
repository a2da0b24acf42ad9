import { stopClock } from '../fixtures/clock';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clientId, connect, inSeconds, iot, partner, tokenWith } from '../fixtures/mqtt-connection';
import { scopes } from '../../../contract/terms/scopes';
import { channels, channelKinds } from '../../../contract/channels/status-channels';
import { handler } from '../../../lambdas/channels/authorize-connection.lambda';
import { store } from '../../data/fixtures/store';
import { acme, rival } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';

const refused = { isAuthenticated: false };

interface Statement {
  readonly Effect: string;
  readonly Action: string;
  readonly Resource: string[];
}
function policyOf(answer: Awaited<ReturnType<typeof connect>>) {
  if (!('policyDocuments' in answer)) throw new Error('the connection was refused');
  const [text = '', ...others] = answer.policyDocuments;
  expect(others).toEqual([]);
  const { Version, Statement: statements } = JSON.parse(text) as { Version: string; Statement: Statement[] };
  expect(Version).toBe('2012-10-17');
  return { text, statements };
}

describe('A valid token', () => {
  test('allows its client id and the topics of its organisation, and nothing else', async () => {
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

  test.each(scopes)('with %s alone allows the topics of that scope', async (scope) => {
    const { statements } = policyOf(await connect({ token: await tokenWith([scope]) }));
    const kinds = channelKinds.filter((kind) => channels[kind].scope === scope);
    const receivable = kinds.map((kind) => `${iot}:topic/${kind}-${acme}-*/${channels[kind].topicSuffix}`);
    expect(statements.filter(({ Action }) => Action === 'iot:Receive').flatMap(({ Resource }) => Resource)).toEqual(
      receivable,
    );
    expect(statements).toHaveLength(kinds.length > 0 ? 3 : 1);
  });

  test('allows no topic that begins with a wildcard, and none of another organisation', async () => {
    const { text, statements } = policyOf(await connect());
    for (const resource of statements.flatMap(({ Resource }) => Resource)) {
      expect(resource).toMatch(/^arn:aws:iot:[^*]+:(client|topic|topicfilter)\/[^*+#]{9}/);
      expect(resource).not.toContain(rival);
    }
    expect(text).not.toContain('Publish');
  });

  test('yields a policy within the size limit of AWS IoT for the longest MQTT client id', async () => {
    const { text } = policyOf(await connect({ mqttClientId: `${clientId}${'x'.repeat(102)}` }));
    expect(text.length).toBeLessThanOrEqual(2048);
  });

  test('limits the session to its own lifetime, and refreshes the policy every five minutes', async () => {
    const answer = await connect({ token: await tokenWith(scopes, { exp: inSeconds(1800) }) });
    expect(answer).toMatchObject({ isAuthenticated: true, principalId: clientId, refreshAfterInSeconds: 300 });
    if (!('disconnectAfterInSeconds' in answer)) throw new Error('the connection was refused');
    expect(answer.disconnectAfterInSeconds).toBeLessThanOrEqual(1800);
    expect(answer.disconnectAfterInSeconds).toBeGreaterThan(1790);
  });

  test('limits the session to a day when it is valid for longer', async () => {
    const answer = await connect({ token: await tokenWith(scopes, { exp: inSeconds(1e6) }) });
    expect(answer).toMatchObject({ disconnectAfterInSeconds: 86_400 });
  });

  test('is accepted with the parameters that AWS IoT appends to the user name', async () => {
    await expect(connect({ username: `${clientId}?SDK=Python&Version=1` })).resolves.toMatchObject({
      isAuthenticated: true,
    });
  });

  test.each(['', '-1', ':drone-7', '_a.b'])('is accepted with the suffix "%s" in the MQTT client id', async (name) => {
    await expect(connect({ mqttClientId: clientId + name })).resolves.toMatchObject({ isAuthenticated: true });
  });
});

describe('A connection is refused', () => {
  test.each([
    ['empty', ''],
    ['nonsense', 'x'],
  ])('with a password that is no token: %s', async (_, token) => {
    await expect(connect({ token })).resolves.toEqual(refused);
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test('with a token that expires within five minutes, the shortest session of AWS IoT', async () => {
    const now = new Date('2026-11-27T10:30:00.000Z');
    stopClock(now);
    const ends = (seconds: number) => tokenWith(scopes, { exp: inSeconds(seconds) });
    await expect(connect({ token: await ends(299) })).resolves.toEqual(refused);
    await expect(connect({ token: await ends(-1) })).resolves.toEqual(refused);
    const token = await ends(300);
    await expect(connect({ token })).resolves.toMatchObject({ isAuthenticated: true, disconnectAfterInSeconds: 300 });
    jest.setSystemTime(now.getTime() + 1);
    await expect(connect({ token })).resolves.toEqual(refused);
  });

  test.each([
    ["another client's user name", { username: 'z'.repeat(26) }],
    ['no user name', { username: '' }],
    ["another client's MQTT client id", { mqttClientId: 'z'.repeat(26) }],
    ['a part of its own client id', { mqttClientId: clientId.slice(0, -1) }],
    ['no MQTT client id', { mqttClientId: '' }],
    ['a slash in the MQTT client id, which would be a topic level', { mqttClientId: `${clientId}/1` }],
    ['a star in it', { mqttClientId: `${clientId}*` }],
    ['a question mark in it', { mqttClientId: `${clientId}?` }],
    ['a plus in it', { mqttClientId: `${clientId}+` }],
    ['a hash in it', { mqttClientId: `${clientId}#` }],
    ['a policy variable in it', { mqttClientId: `${clientId}\${iot:ClientId}` }],
    ['a newline at its end', { mqttClientId: `${clientId}\n` }],
    ['an MQTT client id that is too long', { mqttClientId: clientId + 'x'.repeat(103) }],
  ])('with a valid token and %s', async (_, change) => {
    await expect(connect(change)).resolves.toEqual(refused);
  });

  test.each([
    ['suspended', { ...partner, status: 'suspended' }],
    ['unknown', undefined],
  ])('for a partner that is %s', async (_, Item) => {
    store.on(GetCommand).resolves(Item ? { Item } : {});
    await expect(connect()).resolves.toEqual(refused);
    expect(logLines()).toMatchObject([{ level: 'INFO', reason: 'forbidden' }]);
  });

  test.each([{}, null, { protocolData: {} }, { protocolData: { mqtt: { username: 'x', clientId: 'x' } } }])(
    'for the event %j, with an error in the log',
    async (event) => {
      await expect(handler(event)).resolves.toEqual(refused);
      expect(logLines()).toMatchObject([{ level: 'ERROR' }]);
    },
  );

  test('while partners cannot be read, with an error in the log', async () => {
    store.on(GetCommand).rejects(new Error('throttled'));
    await expect(connect()).resolves.toEqual(refused);
    expect(logLines()).toMatchObject([{ level: 'ERROR', error: { message: 'throttled' } }]);
  });
});

test('no token is in the log, valid or not', async () => {
  const token = await tokenWith(scopes);
  await connect({ token });
  await connect({ token, username: 'x' });
  await connect({ token: `${token}x` });
  expect(written.join()).not.toContain(token.slice(0, 40));
});

import { stopClock } from '../fixtures/clock';
import { ListSubscriptionsCommand } from '@aws-sdk/client-iot-data-plane';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from '../../../data/store/document-client';
import { claims, openIssuer, sign } from '../fixtures/issuer';
import { scopes } from '../../../contract/endpoint';
import { channels, channelKinds } from '../../../contract/channels';
import { handler } from '../../../lambdas/mqtt/authorize-connection';
import { sent, store } from '../../data/fixtures/store';
import { broker } from '../../data/fixtures/topics';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';
import { partner as activePartner } from '../fixtures/partner';

const iot = 'arn:aws:iot:eu-central-1:123456789012';
process.env['IOT_ARN'] = iot;

/** Has the length of a Cognito client id. */
const clientId = 'a1b2c3d4e5f6g7h8i9j0k1l2m3';
const partner = { ...activePartner, clientId };
const refused = { isAuthenticated: false };
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

let key: Awaited<ReturnType<typeof openIssuer>>;
beforeAll(async () => {
  key = await openIssuer();
});
beforeEach(() => {
  store.on(GetCommand).resolves({ Item: partner });
});
const tokenWith = (clientScopes: readonly string[], change: object = {}) =>
  sign(key, { ...claims(...clientScopes), client_id: clientId, ...change });

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

describe('A client that is connected already', () => {
  const topics = [`${id('job')}/JOB/STATUS`, `${id('group')}/DEVICE/STATUS`, `${id('share')}/SHARE/STATUS`];
  const mqttClientId = `${clientId}-1`;
  const givenSubscriptions = (...listed: string[]) =>
    broker
      .on(ListSubscriptionsCommand, { clientId: mqttClientId })
      .resolves({ subscriptions: listed.map((topicFilter) => ({ topicFilter, qos: 1 })) });
  const givenNotes = (...recorded: string[]) =>
    store.on(QueryCommand).resolves({
      Items: recorded.map((topic) => ({
        connectionId: `${mqttClientId} ${topic}`,
        at: Date.now(),
        subscribed: true,
        ttl: inSeconds(3600),
      })),
    });
  beforeEach(() => {
    givenNotes();
    store.on(UpdateCommand).resolves({});
    store.on(PutCommand).resolves({});
  });

  test('gets records of the subscriptions whose events were lost, and an audience until its token expires', async () => {
    const exp = inSeconds(1800);
    const halfHour = Math.ceil(exp / 1800) * 1800;
    givenSubscriptions(...topics);
    const before = Date.now();
    await connect({ token: await tokenWith(scopes, { exp }) });
    expect(store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input)).toMatchObject([
      { Key: { organisation: acme, jobId: id('job') }, ExpressionAttributeValues: { ':until': halfHour } },
      { Key: fleetKey(acme, id('group')), ExpressionAttributeValues: { ':until': exp } },
      { Key: { organisation: acme, shareCode: id('share') }, ExpressionAttributeValues: { ':until': halfHour } },
    ]);
    const records = store.commandCalls(PutCommand).map(({ args: [{ input }] }) => input.Item ?? {});
    expect(records).toMatchObject(
      topics.map((topic) => ({
        channel: `mqtt#${clientId}`,
        connectionId: `${mqttClientId} ${topic}`,
        subscribed: true,
      })),
    );
    for (const { at } of records) expect(at).toBeGreaterThanOrEqual(before);
    expect(logLines()).toMatchObject([{ level: 'WARN', clientId, count: 3 }]);
  });

  test('whose subscriptions are recorded costs one query and no write', async () => {
    givenSubscriptions(...topics);
    givenNotes(...topics);
    await connect();
    expect(sent()).toMatchObject([{ TableName: 'partners' }, { TableName: 'connections' }]);
    expect(logLines()).toEqual([]);
  });

  test('gets no audience for a topic of another organisation', async () => {
    givenSubscriptions(`${id('job', rival)}/JOB/STATUS`);
    await connect();
    expect(store).not.toHaveReceivedCommand(UpdateCommand);
  });

  test.each([
    ['AWS IoT', () => broker.on(ListSubscriptionsCommand).rejects(new Error('throttled'))],
    ['the table', () => store.on(QueryCommand).rejects(new Error('throttled'))],
  ])('stays connected while %s fails, with a warning in the log', async (_, fail) => {
    givenSubscriptions(...topics);
    fail();
    await expect(connect()).resolves.toMatchObject({ isAuthenticated: true });
    expect(logLines()).toMatchObject([{ level: 'WARN', clientId, error: { message: 'throttled' } }]);
  });

  test('waits no longer than 1.5 s for AWS IoT', async () => {
    const isAsked = new Promise<void>((asked) => {
      broker.on(ListSubscriptionsCommand).callsFake(() => {
        asked();
        return new Promise(() => undefined);
      });
    });
    stopClock(new Date());
    const answer = connect();
    await isAsked;
    await jest.advanceTimersByTimeAsync(1499);
    expect(logLines()).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    await expect(answer).resolves.toMatchObject({ isAuthenticated: true });
    expect(logLines()).toMatchObject([{ level: 'WARN', error: { message: 'No answer within 1500 ms' } }]);
  });
});

test('a client that connects, and has no subscriptions yet, costs one read of the partner', async () => {
  broker.on(ListSubscriptionsCommand).rejects(Object.assign(new Error('none'), { name: 'ResourceNotFoundException' }));
  await connect();
  expect(sent()).toMatchObject([{ TableName: 'partners' }]);
  expect(logLines()).toEqual([]);
});

test('a refused client is not looked for at AWS IoT', async () => {
  await connect({ username: 'x' });
  expect(broker).not.toHaveReceivedAnyCommand();
});

test('no token is in the log, valid or not', async () => {
  const token = await tokenWith(scopes);
  await connect({ token });
  await connect({ token, username: 'x' });
  await connect({ token: `${token}x` });
  expect(written.join()).not.toContain(token.slice(0, 40));
});

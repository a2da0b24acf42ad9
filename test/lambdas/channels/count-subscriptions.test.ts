import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { broker } from '../../data/fixtures/topics';
import { DeleteConnectionCommand } from '@aws-sdk/client-iot-data-plane';
import { MAX_SUBSCRIPTIONS } from '../../../contract/channels/status-channels';
import { handler } from '../../../lambdas/channels/count-subscriptions.lambda';
import { store } from '../../data/fixtures/store';
import { acme, id, rival, partner } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';

const clientId = 'a1b2c3d4e5f6g7h8i9j0k1l2m3';
const channel = `mqtt#${clientId}`;
const start = Date.now();

/** Stored subscriptions of a connection to this many topics, each a millisecond later. */
const subscriptions = (connection: string, count: number, from = start) =>
  Array.from({ length: count }, (_, index) => ({
    channel,
    connectionId: `${clientId}-${connection} topic-${connection}-${index}`,
    at: from + index,
    subscribed: true,
    ttl: Math.ceil(start / 1000) + 3600,
  }));
const givenSubscriptions = (...Items: object[]) => store.on(QueryCommand).resolves({ Items });
const event = (eventType: string, connection: string, topics?: string[], timestamp = start) =>
  handler({ clientId: `${clientId}-${connection}`, timestamp, eventType, ...(topics && { topics }) });
const closedConnections = () =>
  broker.commandCalls(DeleteConnectionCommand).map(({ args: [{ input }] }) => input.clientId);

/** What is noted as having an audience, with the time until when. */
const audience = () =>
  store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => ({
    ...input.Key,
    topicUntil: input.ExpressionAttributeValues?.[':topicUntil'] as unknown,
  }));

beforeEach(() => {
  store.onAnyCommand().resolves({});
  store.on(GetCommand, { Key: { clientId } }).resolves({ Item: { ...partner, clientId } });
});

describe('Subscribing', () => {
  test('is stored for each topic, and allowed up to 100 subscriptions', async () => {
    givenSubscriptions(...subscriptions('1', 50), ...subscriptions('2', MAX_SUBSCRIPTIONS - 50));
    await event('subscribed', '2', ['a/JOB/STATUS', 'b/JOB/STATUS']);
    expect(store.commandCalls(PutCommand).map(({ args: [{ input }] }) => input.Item)).toMatchObject([
      { channel, connectionId: `${clientId}-2 a/JOB/STATUS`, subscribed: true, at: start },
      { channel, connectionId: `${clientId}-2 b/JOB/STATUS`, subscribed: true, at: start },
    ]);
    expect(closedConnections()).toEqual([]);
  });

  test('closes the connection above the limit, in whatever order the events arrive', async () => {
    const all = [
      ...subscriptions('1', 50, start - 200),
      ...subscriptions('2', 50, start - 100),
      ...subscriptions('3', 1),
    ];
    for (const connection of ['3', '1']) {
      broker.resetHistory();
      givenSubscriptions(...all);
      await event('subscribed', connection, ['x'], start - 200);
      expect(closedConnections()).toEqual([`${clientId}-3`]);
    }
    expect(logLines()).toMatchObject([
      { level: 'WARN', clientId },
      { level: 'WARN', clientId },
    ]);
  });

  test('above the limit is not counted after its connection is closed', async () => {
    givenSubscriptions(
      ...subscriptions('1', 50, start - 200),
      ...subscriptions('2', 50, start - 100),
      ...subscriptions('3', 1),
    );
    await event('subscribed', '3', ['x']);
    expect(store).toHaveReceivedCommandWith(PutCommand, {
      Item: expect.objectContaining({ connectionId: `${clientId}-3 `, at: start + 1, subscribed: false }) as object,
    });
  });

  test.each([
    ['of a suspended client', { status: 'suspended' }, [`${clientId}-1`]],
    [
      'that began before the tokens of the client were revoked',
      { tokensFrom: Math.ceil(start / 1000) },
      [`${clientId}-1`],
    ],
    ['that began when they had been revoked', { tokensFrom: Math.floor(start / 1000) - 9 }, []],
  ])('closes a connection %s', async (_, change, expected) => {
    store.on(GetCommand, { Key: { clientId } }).resolves({ Item: { ...partner, clientId, ...change } });
    const session = { channel, connectionId: `${clientId}-1 `, at: start - 500, subscribed: false, ttl: 9_999_999_999 };
    givenSubscriptions(session, ...subscriptions('1', 1), ...subscriptions('2', 1));
    await event('subscribed', '1', ['x']);
    expect(closedConnections()).toEqual(expected);
  });

  test('accepts that the connection has been closed already', async () => {
    broker.on(DeleteConnectionCommand).rejects(Object.assign(new Error('none'), { name: 'ResourceNotFoundException' }));
    givenSubscriptions(...subscriptions('1', MAX_SUBSCRIPTIONS + 1));
    await expect(event('subscribed', '1', ['x'])).resolves.toBeUndefined();
  });
});

describe('Subscribing to a topic', () => {
  const [jobTopic, groupTopic] = [`${id('job')}/JOB/STATUS`, `${id('group')}/DEVICE/STATUS`];
  const shareTopic = `${id('share')}/SHARE/STATUS`;
  const inAnHour = Math.ceil(start / 1000) + 3600;
  const halfHour = (time: number) => Math.ceil(time / 1800) * 1800;

  test('notes until when it has an audience: until every session has ended, in steps of half an hour for a job and a share', async () => {
    await event('subscribed', '1', [jobTopic, groupTopic, shareTopic]);
    const until = halfHour(inAnHour);
    expect(audience()).toEqual([
      { organisation: acme, jobId: id('job'), topicUntil: until },
      { fleetPartition: acme, id: id('group'), topicUntil: inAnHour },
      { organisation: acme, shareCode: id('share'), topicUntil: until },
    ]);
  });

  test('again within the same half an hour notes the same end of a job, so that its state is not published again', async () => {
    const step = halfHour(Date.now() / 1000) * 1000;
    for (const time of [step + 1, step + 1_799_000, step + 1_800_001]) await event('subscribed', '1', [jobTopic], time);
    const [first, second, third] = audience().map(({ topicUntil }) => topicUntil as number);
    expect(first).toBe(step / 1000 + 5400);
    expect(second).toBe(first);
    expect(third).toBe(step / 1000 + 7200);
  });

  test('is recorded only after its audience is noted, so that a record means that it is', async () => {
    store.on(UpdateCommand).rejects(new Error('throttled'));
    await expect(event('subscribed', '1', [jobTopic])).rejects.toThrow('throttled');
    expect(store).not.toHaveReceivedCommand(PutCommand);
  });

  test.each([
    ['of a job of another organisation', `${id('job', rival)}/JOB/STATUS`],
    ['of a share of another organisation', `${id('share', rival)}/SHARE/STATUS`],
    ['that is no channel', 'x'],
  ])('notes no audience for a topic %s', async (_, topic) => {
    await event('subscribed', '1', [topic]);
    expect(audience()).toEqual([]);
    expect(store).toHaveReceivedCommand(PutCommand);
  });

  test('notes no audience when it ends', async () => {
    await event('unsubscribed', '1', [jobTopic]);
    expect(audience()).toEqual([]);
  });
});

test('unsubscribing is stored, without a count', async () => {
  await event('unsubscribed', '1', ['a/JOB/STATUS']);
  expect(store.commandCalls(PutCommand).map(({ args: [{ input }] }) => input.Item)).toMatchObject([
    { connectionId: `${clientId}-1 a/JOB/STATUS`, subscribed: false },
  ]);
});

test.each(['connected', 'disconnected'])('a client that has %s has no earlier subscriptions', async (eventType) => {
  await event(eventType, '1');
  expect(store).toHaveReceivedCommandWith(PutCommand, {
    Item: expect.objectContaining({ connectionId: `${clientId}-1 `, at: start, subscribed: false }) as object,
  });
  expect(closedConnections()).toEqual([]);
});

/** Calls of AWS by name. */
const callsOf = (mock: typeof store | typeof broker) =>
  mock.calls().map(({ args: [command] }) => command.constructor.name.replace('Command', ''));

test.each([
  ['connected', ['Get', 'Put']],
  ['disconnected', ['Get', 'Put', 'Query']],
  ['subscribed', ['Get', 'Put', 'Query']],
  ['unsubscribed', ['Get', 'Put']],
])('a client that has %s costs these calls: %j', async (eventType, calls) => {
  await event(eventType, '1', ['x']);
  expect(callsOf(store)).toEqual(calls);
  expect(callsOf(broker)).toEqual([]);
});

test.each(['connected', 'disconnected', 'subscribed', 'unsubscribed'])(
  'a client of another stage of the account, or one that was offboarded, that has %s costs one read and no write',
  async (eventType) => {
    store.on(GetCommand).resolves({});
    await event(eventType, '1', [`${id('job')}/JOB/STATUS`]);
    expect(callsOf(store)).toEqual(['Get']);
    expect(callsOf(broker)).toEqual([]);
  },
);

test.each(['drone-7', '', 'iotconsole-1234'])(
  'events of the MQTT client "%s", which is no client of this service, are ignored',
  async (mqttClientId) => {
    await handler({ clientId: mqttClientId, timestamp: start, eventType: 'subscribed', topics: ['x'] });
    expect(store).not.toHaveReceivedAnyCommand();
  },
);

test('an invalid event and a failing table are errors, so that the rule retries', async () => {
  await expect(handler({ clientId })).rejects.toMatchObject({ name: '$ZodError' });
  store.on(PutCommand).rejects(new Error('throttled'));
  await expect(event('subscribed', '1', ['x'])).rejects.toThrow('throttled');
});

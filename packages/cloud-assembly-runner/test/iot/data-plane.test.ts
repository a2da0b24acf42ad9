import {
  DeleteConnectionCommand,
  GetRetainedMessageCommand,
  GetThingShadowCommand,
  IoTDataPlaneClient,
  ListRetainedMessagesCommand,
  ListSubscriptionsCommand,
  PublishCommand,
} from '@aws-sdk/client-iot-data-plane';
import { createAwsEndpoint, type Credentials } from '../../aws-endpoint';
import { parsePolicy } from '../../iam/policy';
import { account, allow, answer, arn, closed, eventsOf, inbox, iotForAllTests, policy, settled } from './fixture';
import { until } from '../until';

/**
 * The broker of all tests of a file, and clients of its data plane API. Not to be used before the tests.
 * @returns `admin`: a client with all permissions; `holding`: one with those of a policy; `publish`: by the admin, with QoS 1
 */
function dataPlaneForAllTests() {
  const endpoint = createAwsEndpoint();
  const clients: IoTDataPlaneClient[] = [];
  // Registered before the broker's own, which ends last.
  afterAll(async () => {
    for (const client of clients) client.destroy();
    await endpoint.stop();
  });
  const given = iotForAllTests();
  beforeAll(async () => {
    endpoint.add(given.iot);
    await endpoint.start();
  });

  const as = (credentials: Credentials) => {
    const client = new IoTDataPlaneClient({
      // Its port is known when it has started.
      endpoint: () => Promise.resolve({ url: new URL(endpoint.url) }),
      region: account.region,
      credentials,
      maxAttempts: 1,
    });
    clients.push(client);
    return client;
  };
  const holding = (...statements: object[]) =>
    as(endpoint.register('caller', () => [parsePolicy(policy(...statements))]));
  const admin = as(endpoint.admin);
  const publish = (topic: string, payload: string | Buffer, retain = false) =>
    admin.send(new PublishCommand({ topic, payload: Buffer.from(payload), qos: 1, retain }));
  return { given, admin, holding, publish };
}

describe('The data plane API of IoT Core', () => {
  const { given, admin, holding, publish } = dataPlaneForAllTests();

  test('publishes any bytes to subscribers', async () => {
    const client = await given.connect('anyone');
    const got: Buffer[] = [];
    client.on('message', (_topic, payload) => got.push(payload));
    await client.subscribeAsync('job/ä b', { qos: 1 });
    const bytes = Buffer.from([0, 255, 10, 128]);
    await publish('job/ä b', bytes);
    await admin.send(new PublishCommand({ topic: 'job/ä b', payload: Buffer.from('qos 0') }));
    await settled(client);
    expect(got).toEqual([bytes, Buffer.from('qos 0')]);
  });

  test('retains, returns, lists and clears messages', async () => {
    for (const topic of ['r/1', 'r/2', 'r/3']) await publish(topic, `state of ${topic}`, true);
    const message = await admin.send(new GetRetainedMessageCommand({ topic: 'r/2' }));
    expect(message).toMatchObject({ topic: 'r/2', qos: 1, lastModifiedTime: expect.any(Number) as unknown });
    expect(Buffer.from(message.payload ?? []).toString()).toBe('state of r/2');

    const first = await admin.send(new ListRetainedMessagesCommand({ maxResults: 2 }));
    const second = await admin.send(new ListRetainedMessagesCommand({ maxResults: 2, nextToken: first.nextToken }));
    expect([first, second].map(({ retainedTopics }) => retainedTopics?.map(({ topic }) => topic))).toEqual([
      ['r/1', 'r/2'],
      ['r/3'],
    ]);
    expect(first.retainedTopics?.[0]).toMatchObject({ payloadSize: 12, qos: 1 });
    expect(second.nextToken).toBeUndefined();

    for (const topic of ['r/1', 'r/2', 'r/3']) await publish(topic, '', true);
    await expect(admin.send(new GetRetainedMessageCommand({ topic: 'r/2' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
    expect((await admin.send(new ListRetainedMessagesCommand({}))).retainedTopics).toEqual([]);
  });

  test('retains a message until it expires', async () => {
    const expiring = (topic: string, messageExpiry: number) =>
      admin.send(new PublishCommand({ topic, payload: Buffer.from('done'), qos: 1, retain: true, messageExpiry }));
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
    await expiring('e/soon', 1);
    await expiring('e/later', 3600);
    await publish('e/never', 'state', true);
    const topics = async () =>
      (await admin.send(new ListRetainedMessagesCommand({}))).retainedTopics?.map(({ topic }) => topic);
    expect(await topics()).toEqual(['e/later', 'e/never', 'e/soon']);
    clock.mockReturnValue(now + 1001);
    expect(await topics()).toEqual(['e/later', 'e/never']);
    await expect(admin.send(new GetRetainedMessageCommand({ topic: 'e/soon' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
    clock.mockReturnValue(now + 3_600_001);
    expect(await topics()).toEqual(['e/never']);
    clock.mockRestore();
    for (const topic of ['e/later', 'e/never']) await publish(topic, '', true);
  });

  test('delivers messages in the order of publishing', async () => {
    const client = await given.connect('anyone');
    const got = inbox(client);
    await client.subscribeAsync('series', { qos: 1 });
    for (let index = 0; index < 50; index++) await publish('series', String(index), index % 3 === 0);
    await publish('series', '', true);
    await settled(client);
    expect(got).toEqual([...Array.from({ length: 50 }, (_, index) => `series ${index}`), 'series ']);
  });

  test.each([
    ['a reserved topic', '$aws/events/presence/connected/x', 'x', 'InvalidRequestException'],
    ['a topic with a wildcard', 'a/+', 'x', 'InvalidRequestException'],
    ['a topic of 8 slashes', 'a/b/c/d/e/f/g/h/i', 'x', 'InvalidRequestException'],
    ['more than 128 KB', 'a', 'x'.repeat(128 * 1024 + 1), 'RequestEntityTooLargeException'],
  ])('refuses %s', async (_what, topic, payload, name) => {
    await expect(publish(topic, payload)).rejects.toMatchObject({ name });
  });

  test('requires the permissions that AWS requires', async () => {
    const caller = holding(allow('iot:Publish', 'topic/own/*'), allow('iot:DeleteConnection', 'client/own-*'));
    await caller.send(new PublishCommand({ topic: 'own/x', payload: Buffer.from('x') }));
    const denied = (action: string, on: string) => ({
      name: 'AccessDeniedException',
      message: expect.stringContaining(`${action} on resource: ${on}`) as unknown,
    });
    await expect(caller.send(new PublishCommand({ topic: 'foreign/x' }))).rejects.toMatchObject(
      denied('iot:Publish', arn('topic', 'foreign/x')),
    );
    await expect(caller.send(new PublishCommand({ topic: 'own/x', retain: true }))).rejects.toMatchObject(
      denied('iot:RetainPublish', arn('topic', 'own/x')),
    );
    await expect(caller.send(new DeleteConnectionCommand({ clientId: 'foreign-1' }))).rejects.toMatchObject(
      denied('iot:DeleteConnection', arn('client', 'foreign-1')),
    );
    await expect(caller.send(new ListSubscriptionsCommand({ clientId: 'own-1' }))).rejects.toMatchObject(
      denied('iot:ListSubscriptions', arn('client', 'own-1')),
    );
    await expect(caller.send(new GetRetainedMessageCommand({ topic: 'own/x' }))).rejects.toMatchObject(
      denied('iot:GetRetainedMessage', arn('topic', 'own/x')),
    );
    await expect(caller.send(new ListRetainedMessagesCommand({}))).rejects.toMatchObject(
      denied('iot:ListRetainedMessages', '*'),
    );
    await expect(caller.send(new DeleteConnectionCommand({ clientId: 'own-1' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  test('refuses an unsupported operation', async () => {
    await expect(admin.send(new GetThingShadowCommand({ thingName: 'x' }))).rejects.toMatchObject({
      name: 'NotImplemented',
    });
  });
});

describe('The data plane API of IoT Core', () => {
  const { given, admin, publish } = dataPlaneForAllTests();

  test('closes a connection, and publishes its last will unless that is prevented', async () => {
    const witness = await given.connect('anyone');
    const got = inbox(witness);
    await witness.subscribeAsync('will', { qos: 1 });
    const will = { topic: 'will', payload: Buffer.from('gone'), qos: 1 as const, retain: false };
    for (const preventWillMessage of [true, false]) {
      const client = await given.connect('anyone', { clientId: 'to/end', will });
      await admin.send(new DeleteConnectionCommand({ clientId: 'to/end', preventWillMessage }));
      await closed(client);
    }
    await until(() => got.length > 0);
    await settled(witness);
    expect(got).toEqual(['will gone']);
    expect(eventsOf(given.calls, 'disconnected')).toEqual(
      Array(2).fill(expect.objectContaining({ clientId: 'to/end', disconnectReason: 'API_INITIATED_DISCONNECT' })),
    );
  });

  test('deletes the session of a connection with cleanSession', async () => {
    const keep = () => given.connect('anyone', { clientId: 'keeper', clean: false });
    const present: unknown[] = [];
    for (const cleanSession of [false, true]) {
      const client = await keep();
      await client.subscribeAsync('kept', { qos: 1 });
      await admin.send(new DeleteConnectionCommand({ clientId: 'keeper', cleanSession }));
      await publish('kept', `after ${cleanSession}`);
      const again = await keep();
      const got = inbox(again);
      await settled(again);
      present.push([...got]);
    }
    expect(present).toEqual([['kept after false'], []]);
  });

  test('answers 404 for the connection of a client that is not connected', async () => {
    await expect(admin.send(new DeleteConnectionCommand({ clientId: 'nobody' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  describe('lists subscriptions', () => {
    const list = (clientId: string, more: { maxResults?: number; nextToken?: string | undefined } = {}) =>
      admin.send(new ListSubscriptionsCommand({ clientId, ...more }));

    test('of a client with any id, with their QoS, without those that were refused or cancelled', async () => {
      given.users.narrow = answer(allow('iot:*', 'client/*', 'topicfilter/own/*', 'topic/own/*'));
      const client = await given.connect('narrow', { clientId: 'to list/ä' });
      await client.subscribeAsync(['own/2', 'own/3'], { qos: 1 });
      await client.subscribeAsync('own/1', { qos: 0 });
      await expect(client.subscribeAsync('foreign/1')).rejects.toThrow();
      await client.unsubscribeAsync('own/3');
      const { subscriptions, nextToken } = await list('to list/ä');
      expect(subscriptions).toEqual([
        { topicFilter: 'own/1', qos: 0 },
        { topicFilter: 'own/2', qos: 1 },
      ]);
      expect(nextToken).toBeUndefined();
    });

    test('in pages, by default of 20', async () => {
      const client = await given.connect('anyone', { clientId: 'busy' });
      const filters = Array.from({ length: 24 }, (_, index) => `many/${index}`);
      for (let from = 0; from < filters.length; from += 8)
        await client.subscribeAsync(filters.slice(from, from + 8), { qos: 1 });
      const first = await list('busy');
      const second = await list('busy', { nextToken: first.nextToken });
      const found = [first, second].map(({ subscriptions = [] }) => subscriptions.map((one) => one.topicFilter));
      expect(found.map(({ length }) => length)).toEqual([20, 4]);
      expect(found.flat().sort()).toEqual(filters.sort());
      expect((await list('busy', { maxResults: 200 })).subscriptions).toHaveLength(24);
    });

    test('of a persistent session after its connection, and none of a clean one', async () => {
      for (const clean of [true, false]) {
        const client = await given.connect('anyone', { clientId: `clean-${clean}`, clean });
        await client.subscribeAsync('kept', { qos: 1 });
        await client.endAsync();
        await until(() =>
          eventsOf(given.calls, 'disconnected').some((event) => event['clientId'] === `clean-${clean}`),
        );
      }
      expect((await list('clean-false')).subscriptions).toEqual([{ topicFilter: 'kept', qos: 1 }]);
      await expect(list('clean-true')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    });

    test.each([
      ['a client that is not connected', 'nobody', {}, 'ResourceNotFoundException'],
      ['a client id that begins with $', '$nobody', {}, 'InvalidRequestException'],
      ['pages of 0', 'somebody', { maxResults: 0 }, 'InvalidRequestException'],
      ['pages of 201', 'somebody', { maxResults: 201 }, 'InvalidRequestException'],
    ])('but not for %s', async (_what, clientId, more, name) => {
      await given.connect('anyone', { clientId: 'somebody' });
      await expect(list(clientId, more)).rejects.toMatchObject({ name });
    });
  });
});

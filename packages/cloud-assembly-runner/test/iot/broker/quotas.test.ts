import { IoTDataPlaneClient, PublishCommand, ThrottlingException } from '@aws-sdk/client-iot-data-plane';
import type { MqttClient } from 'mqtt';
import { createAwsEndpoint, type AwsEndpoint } from '../../../aws-endpoint';
import type { Quotas } from '../../../quotas';
import {
  account,
  brokerForAllTests,
  closed,
  eventsOf,
  inbox,
  settled,
  startIot,
  stopReading,
  subscribe,
  type IotFixture,
} from '../fixture';
import { limitedQuotas } from '../../limited-quotas';
import { until } from '../../until';

describe('The quotas of AWS IoT', () => {
  let given: IotFixture;
  let endpoint: AwsEndpoint | undefined;
  const start = async (left: Parameters<typeof limitedQuotas>[0], most: Partial<Quotas> = {}) => {
    given = await startIot({ quotas: limitedQuotas(left, most) });
  };
  /** Publishes through the API. */
  const publisher = async () => {
    endpoint = createAwsEndpoint();
    endpoint.add(given.iot);
    await endpoint.start();
    const client = new IoTDataPlaneClient({
      endpoint: endpoint.url,
      region: account.region,
      credentials: endpoint.admin,
      maxAttempts: 1,
    });
    return (topic: string, payload: string, retain = false) =>
      client.send(new PublishCommand({ topic, payload: Buffer.from(payload), qos: 1, retain }));
  };
  afterEach(async () => {
    await endpoint?.stop();
    endpoint = undefined;
    await given.end();
  });

  test.each([['iotConnects'], ['iotConnectsOfClient']] as const)('refuse a connection beyond %s', async (name) => {
    await start({ [name]: 1 });
    await given.connect('anyone');
    await expect(given.connect('anyone')).rejects.toThrow('Server unavailable');
  });

  test('refuse a subscription beyond the rate, and keep the connection open', async () => {
    await start({ iotSubscriptions: 1 });
    const client = await given.connect('anyone');
    expect(await subscribe(client, ['a', 'b'])).toEqual([1, 128]);
    expect(client.connected).toBe(true);
  });

  test.each([['iotOutboundPublishes'], ['iotPublishesOfConnection']] as const)(
    'drop outbound messages beyond %s silently',
    async (name) => {
      await start({ [name]: 1 });
      const client = await given.connect('anyone');
      const got = inbox(client);
      await subscribe(client, 'a', 0);
      const publish = await publisher();
      for (const payload of ['1', '2']) await publish('a', payload);
      await settled(client);
      expect(got).toEqual(['a 1']);
      expect(client.connected).toBe(true);
    },
  );

  test.each([['iotInboundPublishes'], ['iotRetainedPublishesOfTopic'], ['iotRetainedPublishes']] as const)(
    'throttle the API beyond %s',
    async (name) => {
      await start({ [name]: 1 });
      const publish = await publisher();
      await publish('a', '1', true);
      await expect(publish('a', '2', true)).rejects.toThrow(ThrottlingException);
    },
  );

  test('limit retained messages: a new one is throttled, replacing or clearing one is not', async () => {
    await start({}, { retainedMessages: 1 });
    const publish = await publisher();
    await publish('a', '1', true);
    await expect(publish('b', '1', true)).rejects.toMatchObject({ $metadata: { httpStatusCode: 429 } });
    await publish('a', '2', true);
    await publish('a', '', true);
    await publish('b', '1', true);
  });

  test('discard messages beyond the quota of a client, without PUBACK', async () => {
    await start({ iotInboundPublishes: 1 });
    const [client, reader] = [await given.connect('anyone'), await given.connect('anyone', { clientId: 'reader' })];
    const got = inbox(reader);
    await subscribe(reader, '#', 0);
    const acknowledged: string[] = [];
    for (const payload of ['1', '2']) client.publish('a', payload, { qos: 1 }, () => acknowledged.push(payload));
    await settled(client);
    await settled(reader);
    expect([got, acknowledged]).toEqual([['a 1'], ['1']]);
    expect(client.connected).toBe(true);
  });
});

describe('The limits of the broker', () => {
  const { given, publish, reasons } = brokerForAllTests();

  const expectEnd = async (client: MqttClient, reason: string) => {
    await closed(client);
    await until(() => reasons().length === 1);
    expect(reasons()).toEqual([reason]);
  };

  test('end the connection: a payload over 128 KB, when a smaller one arrives', async () => {
    const client = await given.connect('anyone');
    await client.publishAsync('a', Buffer.alloc(128 * 1024), { qos: 1 });
    client.publish('a', Buffer.alloc(128 * 1024 + 1), { qos: 1 });
    await expectEnd(client, 'CLIENT_ERROR');
  });

  test.each([
    ['8 slashes', 'a/b/c/d/e/f/g/h/i'],
    ['257 bytes', 'a'.repeat(257)],
  ])('end the connection or are refused: a topic of %s', async (_what, topic) => {
    const client = await given.connect('anyone');
    expect(await subscribe(client, topic)).toEqual([128]);
    client.publish(topic, 'x', { qos: 1 });
    await expectEnd(client, 'CLIENT_ERROR');
  });

  test('end the connection: a 51st subscription, not a repeated one', async () => {
    const client = await given.connect('anyone');
    for (let index = 0; index < 50; index++) expect(await subscribe(client, `t/${index}`)).toEqual([1]);
    expect(await subscribe(client, 't/0', 0)).toEqual([0]);
    await client.unsubscribeAsync('t/1');
    expect(await subscribe(client, 't/50')).toEqual([1]);
    const commands: string[] = [];
    client.on('packetreceive', ({ cmd }) => commands.push(cmd));
    client.subscribe('t/51');
    await expectEnd(client, 'CLIENT_ERROR');
    expect(commands).toEqual([]);
  });

  test('end the connection: nine filters in one SUBSCRIBE', async () => {
    const client = await given.connect('anyone');
    expect(
      await subscribe(
        client,
        Array.from({ length: 8 }, (_, index) => `t/${index}`),
      ),
    ).toHaveLength(8);
    const commands: string[] = [];
    client.on('packetreceive', ({ cmd }) => commands.push(cmd));
    client.subscribe(Array.from({ length: 9 }, (_, index) => `t/${index}`));
    await expectEnd(client, 'CLIENT_ERROR');
    expect(commands).toEqual([]);
    expect(eventsOf(given.calls, 'subscribed')).toHaveLength(1);
  });

  test('end the connection: too many unread bytes, without effect on other subscribers', async () => {
    const [reader, sleeper] = [await given.connect('anyone'), await given.connect('anyone', { clientId: 'sleeper' })];
    const got = inbox(reader);
    await subscribe(reader, 'flood');
    await subscribe(sleeper, 'flood', 0);
    stopReading(sleeper);
    const payload = Buffer.alloc(120 * 1024, 'x');
    let sent = 0;
    while (reasons().length === 0 && sent < 1000) {
      await publish('flood', payload);
      sent++;
    }
    expect(eventsOf(given.calls, 'disconnected')).toEqual([expect.objectContaining({ clientId: 'sleeper' })]);
    // PUBACK is sent before all subscribers have the message.
    await until(() => got.length >= sent);
    await settled(reader);
    expect(got).toHaveLength(sent);
  });
});

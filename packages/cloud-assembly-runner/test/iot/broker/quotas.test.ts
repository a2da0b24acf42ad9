import { IoTDataPlaneClient, PublishCommand, ThrottlingException } from '@aws-sdk/client-iot-data-plane';
import { createAwsEndpoint, type AwsEndpoint } from '../../../aws-endpoint';
import type { Quotas } from '../../../quotas';
import { startIot, account, type IotFixture } from '../fixture';
import { inbox, settled, subscribe } from '../mqtt-client';
import { limitedQuotas } from '../../limited-quotas';

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

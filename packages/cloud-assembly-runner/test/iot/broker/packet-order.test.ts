import type { MqttClient } from 'mqtt';
import { brokerForAllTests } from '../fixture';
import { inbox, settled } from '../mqtt-client';

/** MQTT 3.1.1, section 4.6 "Message ordering": a server treats the packets of a client in the order in which they come. */
describe('Packets that come together are treated in their order', () => {
  const { given, publish, reasons } = brokerForAllTests();

  const steps = {
    subscribe: (client: MqttClient) => client.subscribe('topic', { qos: 1 }),
    unsubscribe: (client: MqttClient) => client.unsubscribe('topic'),
  };

  test.each([
    [['unsubscribe', 'subscribe'], true],
    [['subscribe', 'unsubscribe'], false],
    [['subscribe', 'unsubscribe', 'subscribe'], true],
    [['unsubscribe', 'subscribe', 'unsubscribe', 'subscribe', 'unsubscribe'], false],
  ] as const)('%j: subscribed %s', async (names, isSubscribed) => {
    const client = await given.connect('anyone', { clientId: names.join('-') });
    const got = inbox(client);
    await client.subscribeAsync('topic', { qos: 1 });
    client.stream.cork();
    for (const name of names) steps[name](client);
    client.stream.uncork();
    await settled(client);
    await publish('topic', 'x');
    await settled(client);
    expect(got).toEqual(isSubscribed ? ['topic x'] : []);
    expect(reasons()).toEqual([]);
    await client.endAsync();
  });
});

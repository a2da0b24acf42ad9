import type { MqttClient } from 'mqtt';
import { allow, answer, brokerForAllTests, eventsOf } from '../fixture';
import { closed, inbox, settled, subscribe } from '../mqtt-client';
import { until } from '../../until';

/** AWS IoT Core developer guide, "AWS IoT differences from MQTT specifications". */
describe('QoS 2 is ignored, and the connection stays open', () => {
  const { given, publish, reasons } = brokerForAllTests();

  /** Commands of the packets that a client receives from now on. */
  const received = (client: MqttClient) => {
    const commands: string[] = [];
    client.on('packetreceive', ({ cmd }) => commands.push(cmd));
    return commands;
  };

  test.each([
    ['alone', { asked: { qos: 2 } }],
    ['before-another', { asked: { qos: 2 }, beside: { qos: 1 } }],
    ['after-another', { beside: { qos: 0 }, asked: { qos: 2 } }],
  ] as const)('in SUBSCRIBE, %s: no SUBACK and no subscription', async (clientId, filters) => {
    const client = await given.connect('anyone', { clientId });
    const [got, commands] = [inbox(client), received(client)];
    client.subscribe({ ...filters });
    await settled(client);
    expect(commands).toEqual(['pingresp']);
    expect(eventsOf(given.calls, 'subscribed')).toEqual([]);
    expect(given.log).toEqual([`iot ${clientId}: SUBSCRIBE ignored, QoS 2 is not supported`]);
    expect(await subscribe(client, 'other')).toEqual([1]);
    for (const topic of ['asked', 'beside', 'other']) await publish(topic, 'x');
    await settled(client);
    expect(got).toEqual(['other x']);
    expect(await subscribe(client, 'asked')).toEqual([1]);
    expect(reasons()).toEqual([]);
  });

  test('in PUBLISH: neither PUBREC nor PUBACK, and nobody gets the message', async () => {
    const reader = await given.connect('anyone');
    const got = inbox(reader);
    await subscribe(reader, '#');
    const client = await given.connect('anyone', { clientId: 'publishing' });
    const commands = received(client);
    client.publish('a', 'ignored', { qos: 2, retain: true });
    await settled(client);
    expect(commands).toEqual(['pingresp']);
    await client.publishAsync('a', 'delivered', { qos: 1 });
    await settled(reader);
    expect(got).toEqual(['a delivered']);
    const later = await given.connect('anyone');
    const retained = inbox(later);
    await subscribe(later, 'a');
    await settled(later);
    expect(retained).toEqual([]);
    expect(given.log).toEqual(['iot publishing: PUBLISH ignored, QoS 2 is not supported']);
    expect(reasons()).toEqual([]);
  });

  test('in PUBLISH, unless it is not allowed, which ends the connection as with any QoS', async () => {
    given.users.reader = answer(allow('iot:Connect', '*'));
    const client = await given.connect('reader');
    client.publish('a', 'x', { qos: 2 });
    await closed(client);
    await until(() => reasons().length > 0);
    expect(reasons()).toEqual(['AUTH_ERROR']);
  });
});

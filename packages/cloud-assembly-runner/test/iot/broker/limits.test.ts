import type { MqttClient } from 'mqtt';
import { eventsOf, brokerForAllTests } from '../fixture';
import { closed, inbox, settled, stopReading, subscribe } from '../mqtt-client';
import { until } from '../../until';

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

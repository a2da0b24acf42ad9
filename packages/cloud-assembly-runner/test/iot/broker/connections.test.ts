import { connect as connectTls } from 'node:tls';
import { allow, answer, eventsOf, iotForAllTests } from '../fixture';
import { closed, inbox, settled } from '../mqtt-client';
import { until } from '../../until';

describe('Connecting to the broker', () => {
  const given = iotForAllTests();

  const notAuthorized = { message: expect.stringContaining('Not authorized') as unknown };

  test('is refused when no policy allows the client id, and accepted when one does', async () => {
    given.users.pinned = answer(allow('iot:Connect', 'client/pinned-*'));
    await expect(given.connect('pinned', { clientId: 'other' })).rejects.toMatchObject(notAuthorized);
    expect((await given.connect('pinned', { clientId: 'pinned-1' })).connected).toBe(true);
  });

  test('is refused with a client id of more than 128 bytes or a dollar sign', async () => {
    const rejected = { message: expect.stringContaining('Identifier rejected') as unknown };
    await expect(given.connect('anyone', { clientId: 'ü'.repeat(65) })).rejects.toMatchObject(rejected);
    await expect(given.connect('anyone', { clientId: '$x' })).rejects.toMatchObject(rejected);
    expect((await given.connect('anyone', { clientId: 'ü'.repeat(64) })).connected).toBe(true);
  });

  test('is refused for MQTT 5 with a CONNACK of MQTT 5', async () => {
    const refused = given.connect('anyone', { protocolVersion: 5 });
    await expect(refused).rejects.toMatchObject({
      code: 0x84,
      message: expect.stringContaining('Unsupported Protocol Version') as unknown,
    });
    expect(given.log).toEqual([expect.stringContaining('MQTT 3.1.1')]);
    expect(given.calls).toEqual([]);
  });

  test('replaces the earlier connection of the same client id', async () => {
    const first = await given.connect('anyone', { clientId: 'twin' });
    const second = await given.connect('anyone', { clientId: 'twin' });
    await closed(first);
    await second.subscribeAsync('a/b');
    const got = inbox(second);
    await second.publishAsync('a/b', 'still here', { qos: 1 });
    await settled(second);
    expect(got).toEqual(['a/b still here']);
    expect(eventsOf(given.calls, 'disconnected')).toEqual([
      expect.objectContaining({
        clientId: 'twin',
        disconnectReason: 'DUPLICATE_CLIENTID',
        clientInitiatedDisconnect: false,
      }),
    ]);
  });

  test('replaces no connection when it is refused', async () => {
    const first = await given.connect('anyone', { clientId: 'victim' });
    await expect(given.connect('stranger', { clientId: 'victim' })).rejects.toMatchObject(notAuthorized);
    await settled(first);
    expect(first.connected).toBe(true);
  });

  test('emits connected and disconnected events with the same session and version number', async () => {
    const client = await given.connect('anyone', { clientId: 'leaver' });
    await client.endAsync();
    await until(() => eventsOf(given.calls, 'disconnected').length === 1);
    const [arrived] = eventsOf(given.calls, 'connected');
    const [left] = eventsOf(given.calls, 'disconnected');
    const common = {
      clientId: 'leaver',
      timestamp: expect.any(Number) as unknown,
      sessionIdentifier: expect.any(String) as unknown,
      principalIdentifier: 'partner7',
      versionNumber: expect.any(Number) as unknown,
    };
    expect(arrived).toEqual({ ...common, eventType: 'connected', ipAddress: '127.0.0.1' });
    expect(left).toEqual({
      ...common,
      eventType: 'disconnected',
      clientInitiatedDisconnect: true,
      disconnectReason: 'CLIENT_INITIATED_DISCONNECT',
    });
    expect([left?.sessionIdentifier, left?.versionNumber]).toEqual([
      arrived?.sessionIdentifier,
      arrived?.versionNumber,
    ]);
  });

  test('ends with reason CONNECTION_LOST when the connection is lost', async () => {
    const client = await given.connect('anyone', { clientId: 'lost' });
    client.stream.destroy();
    await until(() => eventsOf(given.calls, 'disconnected').length === 1);
    expect(eventsOf(given.calls, 'disconnected')).toEqual([
      expect.objectContaining({ disconnectReason: 'CONNECTION_LOST' }),
    ]);
  });

  test('emits no lifecycle events for a client id with wildcards', async () => {
    await (await given.connect('anyone', { clientId: 'a+b' })).endAsync();
    await (await given.connect('anyone', { clientId: 'a#b' })).endAsync();
    expect(eventsOf(given.calls, 'connected', 'disconnected')).toEqual([]);
  });

  describe('with a last will', () => {
    const will = { topic: 'own/will', payload: Buffer.from('gone'), qos: 1 as const, retain: false };

    test('is refused when the policies do not allow the will', async () => {
      given.users.will = answer(allow('iot:Connect', '*'), allow('iot:Publish', 'topic/own/*'));
      await expect(given.connect('will', { will: { ...will, topic: 'foreign/will' } })).rejects.toMatchObject(
        notAuthorized,
      );
      await expect(given.connect('will', { will: { ...will, retain: true } })).rejects.toMatchObject(notAuthorized);
      expect((await given.connect('will', { will })).connected).toBe(true);
    });

    test('is refused when the will is for a reserved topic', async () => {
      const reserved = { ...will, topic: '$aws/events/presence/connected/x' };
      await expect(given.connect('anyone', { will: reserved })).rejects.toMatchObject(notAuthorized);
    });

    test('publishes it when the connection is lost, and not after DISCONNECT', async () => {
      const witness = await given.connect('anyone');
      const got = inbox(witness);
      await witness.subscribeAsync('own/will', { qos: 1 });
      await (await given.connect('anyone', { will })).endAsync();
      const lost = await given.connect('anyone', { clientId: 'unlucky', will });
      lost.stream.destroy();
      await until(() => got.length > 0);
      await settled(witness);
      expect(got).toEqual(['own/will gone']);
    });
  });

  describe('with bytes that are not MQTT', () => {
    const raw = (bytes: Buffer) =>
      new Promise<void>((resolve) => {
        const port = Number(new URL(given.iot.url ?? '').port);
        const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => socket.write(bytes));
        socket.on('error', () => undefined).once('close', () => resolve());
        socket.resume();
      });

    test.each([
      ['junk', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
      ['a CONNECT of 200 MB', Buffer.from([0x10, 0x80, 0x80, 0x80, 0x64, 0x00])],
      ['a PUBLISH before CONNECT', Buffer.from([0x30, 0x05, 0x00, 0x01, 0x61, 0x62, 0x63])],
    ])('%s, is closed without effect on other clients', async (_what, bytes) => {
      const neighbour = await given.connect('anyone');
      await raw(bytes);
      await settled(neighbour);
      expect(neighbour.connected).toBe(true);
    });
  });
});

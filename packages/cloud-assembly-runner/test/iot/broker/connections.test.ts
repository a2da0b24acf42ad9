import { connect as connectTls } from 'node:tls';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type MqttClient } from 'mqtt';
import { WebSocket } from 'ws';
import { allow, answer, eventsOf, iotForAllTests, domainConfiguration, startIot, type IotFixture } from '../fixture';
import { closed, inbox, settled, subscribe } from '../mqtt-client';
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

describe('MQTT over WebSockets', () => {
  const DOMAIN = 'live.example.com';
  let fixture: IotFixture;
  let front: Server;
  const clients: MqttClient[] = [];

  /** Passes handshakes on as a distribution does. */
  function startFront(): Promise<Server> {
    const server = createServer();
    server.on('upgrade', (message, socket, head) => {
      const [path = '', query = ''] = (message.url ?? '').split('?');
      const request = { method: 'GET', path, query, headers: [['Host', DOMAIN] as const], sourceIp: '127.0.0.1' };
      void fixture.iot
        .originOf(DOMAIN)
        ?.upgrade?.(request, { message, socket, head })
        .then((reply) => reply && socket.end(`HTTP/1.1 ${reply.status} Refused\r\nConnection: close\r\n\r\n`));
    });
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
  }

  function open(username: string, path = '/mqtt'): Promise<MqttClient> {
    const { port } = front.address() as AddressInfo;
    return new Promise((resolve, reject) => {
      const client = connect(`ws://127.0.0.1:${port}${path}`, {
        username,
        password: 'secret',
        clientId: `${username}-1`,
        protocolVersion: 4,
        reconnectPeriod: 0,
      });
      clients.push(client);
      client.once('connect', () => resolve(client)).once('error', reject);
      client.once('close', () => reject(new Error('closed without CONNACK')));
      client.on('error', () => undefined);
    });
  }

  beforeAll(async () => {
    fixture = await startIot();
    void fixture.iot.create(
      domainConfiguration('Live', 'Tokens', { DomainName: DOMAIN, ApplicationProtocol: 'MQTT_WSS' }),
    );
    front = await startFront();
  });
  afterEach(() => clients.splice(0).forEach((client) => client.end(true)));
  afterAll(async () => {
    front.close();
    await fixture.end();
  });

  test('tells the authorizer about the handshake and the server name', async () => {
    await open('anyone', '/mqtt?from=page');
    expect(fixture.calls.find(([name]) => name === 'authorizer')?.[1]).toMatchObject({
      protocols: ['tls', 'http', 'mqtt'],
      protocolData: {
        tls: { serverName: DOMAIN },
        http: { headers: { Host: DOMAIN }, queryString: '?from=page' },
        mqtt: { username: 'anyone', clientId: 'anyone-1', password: Buffer.from('secret').toString('base64') },
      },
    });
  });

  test('brings messages of other clients, within the policy', async () => {
    fixture.users['viewer'] = answer(
      allow('iot:Connect', 'client/viewer-1'),
      allow(['iot:Subscribe'], 'topicfilter/live/one'),
      allow(['iot:Receive'], 'topic/live/one'),
    );
    const viewer = await open('viewer');
    const got = inbox(viewer);
    expect(await subscribe(viewer, 'live/two', 0)).toEqual([128]);
    expect(await subscribe(viewer, 'live/one', 0)).toEqual([0]);
    const publisher = await fixture.connect('anyone', { clientId: 'publisher' });
    await publisher.publishAsync('live/two', 'hidden');
    await publisher.publishAsync('live/one', 'shown', { qos: 1 });
    await settled(viewer);
    expect(got).toEqual(['live/one shown']);
  });

  test('ends the connection of a client that publishes without being allowed to', async () => {
    fixture.users['viewer'] = answer(allow('iot:Connect', 'client/viewer-1'));
    const viewer = await open('viewer');
    viewer.publish('live/one', 'forged');
    await closed(viewer);
    expect(viewer.connected).toBe(false);
  });

  test.each([
    ['the path /', '/', 'mqtt', 404],
    ['another path', '/other', 'mqtt', 404],
    ['another subprotocol', '/mqtt', 'other', 400],
  ])('refuses a handshake with %s', async (_, path, protocol, status) => {
    const { port } = front.address() as AddressInfo;
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocol);
    const refused = new Promise<unknown>((resolve) =>
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode)),
    );
    expect(await refused).toBe(status);
  });

  test('is at its own domain only, and not where MQTT over TLS is', () => {
    expect(fixture.iot.originOf('mqtt.example.com')).toBeUndefined();
    expect(fixture.iot.url).toMatch(/^mqtts:/);
  });
});

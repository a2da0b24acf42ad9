import { connect as connectTls } from 'node:tls';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type MqttClient } from 'mqtt';
import { WebSocket } from 'ws';
import {
  allow,
  answer,
  brokerForAllTests,
  closed,
  domainConfiguration,
  eventsOf,
  inbox,
  iotForAllTests,
  settled,
  startIot,
  stopReading,
  subscribe,
  type IotFixture,
} from '../fixture';
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

describe('State of the broker', () => {
  const { given, publish, reasons } = brokerForAllTests();

  describe('retained messages', () => {
    afterEach(() => publish('state', '', true));

    test('are delivered first to a new subscriber of exactly that topic', async () => {
      await publish('state', 'old', true);
      await publish('state', 'new', true);
      const [exact, wild] = [await given.connect('anyone'), await given.connect('anyone')];
      const [gotExact, gotWild] = [inbox(exact), inbox(wild)];
      await subscribe(exact, 'state');
      await subscribe(wild, ['+', '#']);
      await publish('state', 'newest', true);
      await settled(exact);
      await settled(wild);
      expect(gotExact).toEqual(['!state new', 'state newest']);
      expect([...new Set(gotWild)]).toEqual(['state newest']);
    });

    test('are cleared by an empty message, which subscribers receive', async () => {
      const early = await given.connect('anyone');
      const gotEarly = inbox(early);
      await subscribe(early, 'state');
      await publish('state', 'here', true);
      await publish('state', '', true);
      const late = await given.connect('anyone');
      const gotLate = inbox(late);
      await subscribe(late, 'state');
      await settled(early);
      await settled(late);
      expect(gotEarly).toEqual(['state here', 'state ']);
      expect(gotLate).toEqual([]);
    });

    test('need iot:RetainPublish', async () => {
      given.users.plain = answer(allow(['iot:Connect', 'iot:Publish'], '*'));
      const client = await given.connect('plain');
      await client.publishAsync('state', 'passing', { qos: 1 });
      client.publish('state', 'staying', { qos: 1, retain: true });
      await closed(client);
      await until(() => reasons().includes('AUTH_ERROR'));
      const late = await given.connect('anyone');
      const got = inbox(late);
      await subscribe(late, 'state');
      await settled(late);
      expect(got).toEqual([]);
    });
  });

  describe('persistent sessions', () => {
    const keeper = (clientId: string, username = 'anyone') => given.connect(username, { clientId, clean: false });

    test('keep subscriptions, and messages in order, until the client reconnects', async () => {
      const before = await keeper('keeper');
      await subscribe(before, ['kept', 'fleeting']);
      await before.endAsync();
      await publish('kept', '1', true);
      await publish('kept', '2');
      await publish('fleeting', 'qos 0', false, 0);
      const after = await keeper('keeper');
      const got = inbox(after);
      await publish('kept', '3');
      await until(() => got.length === 3);
      await publish('kept', '', true);
      expect(got.slice(0, 3)).toEqual(['kept 1', 'kept 2', 'kept 3']);
    });

    test('queue no messages for a refused filter', async () => {
      given.users.some = answer(
        allow('iot:Connect', '*'),
        allow(['iot:Subscribe', 'iot:Receive'], 'topicfilter/a', 'topic/*'),
      );
      const before = await keeper('partly', 'some');
      expect(await subscribe(before, ['a', '#'])).toEqual([1, 128]);
      await before.endAsync();
      await Promise.all(Array.from({ length: 1000 }, () => publish('b', 'no')));
      await publish('a', 'yes');
      const after = await keeper('partly', 'some');
      const got = inbox(after);
      await until(() => got.length > 0);
      await settled(after);
      expect(got).toEqual(['a yes']);
    });

    test('are deleted by a clean session', async () => {
      const before = await keeper('cleaner');
      await subscribe(before, 'kept');
      const clean = await given.connect('anyone', { clientId: 'cleaner' });
      await clean.endAsync();
      await publish('kept', 'missed');
      const after = await keeper('cleaner');
      const got = inbox(after);
      await publish('kept', 'missed, too');
      await settled(after);
      expect(got).toEqual([]);
    });

    test('end the connection of a client with 1,000 unacknowledged messages', async () => {
      const silent = await keeper('silent');
      await subscribe(silent, 'unread');
      stopReading(silent);
      await Promise.all(Array.from({ length: 1001 }, () => publish('unread', 'x')));
      await until(() => reasons().length > 0);
      expect(eventsOf(given.calls, 'disconnected')).toEqual([expect.objectContaining({ clientId: 'silent' })]);
    });

    test('are refused when a condition of the policy denies PersistentConnect', async () => {
      const Condition = { 'ForAllValues:StringEquals': { 'iot:ConnectAttributes': ['LastWill'] } };
      given.users.passing = answer({ ...allow('iot:Connect', '*'), Condition });
      await expect(keeper('passer', 'passing')).rejects.toThrow('Not authorized');
      expect((await given.connect('passing')).connected).toBe(true);
    });
  });

  test('retains messages across a restart', async () => {
    await publish('lasting', 'state', true);
    await publish('cleared', 'state', true);
    await publish('cleared', '', true);
    await given.restart();
    const client = await given.connect('anyone');
    const got = inbox(client);
    await subscribe(client, ['lasting', 'cleared']);
    await settled(client);
    expect(got).toEqual(['!lasting state']);
  });

  test('emits disconnected events after a restart for connections of a killed broker, and for no others', async () => {
    const left = await given.connect('anyone', { clientId: 'left' });
    await left.endAsync();
    await given.connect('anyone', { clientId: 'stays' });
    await until(() => eventsOf(given.calls, 'connected').some(({ clientId }) => clientId === 'stays'));
    await until(() => eventsOf(given.calls, 'disconnected').some(({ clientId }) => clientId === 'left'));
    given.calls.length = 0;
    await given.restartKilled();
    const gone = () => eventsOf(given.calls, 'disconnected').map(({ clientId }) => clientId);
    await until(() => gone().includes('stays'));
    expect(gone()).not.toContain('left');
    expect(eventsOf(given.calls, 'disconnected').find(({ clientId }) => clientId === 'stays')).toMatchObject({
      eventType: 'disconnected',
      disconnectReason: 'CONNECTION_LOST',
      principalIdentifier: 'partner7',
    });
  });
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type MqttClient } from 'mqtt';
import { WebSocket } from 'ws';
import { answer, allow, domainConfiguration, startIot, type IotFixture } from '../fixture';
import { closed, inbox, settled, subscribe } from '../mqtt-client';

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

describe('MQTT over WebSockets', () => {
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

/** The message broker: aedes behind TLS, with the rules of AWS IoT Core. */
import { Aedes, type Client } from 'aedes';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type Server } from 'node:tls';
import type { LeftOpen } from '../left-open';
import { createAdmission, type AdmissionOptions } from './admission';
import { end, type Connection, type Connections } from './connection';
import {
  connected,
  disconnected,
  subscribed,
  unsubscribed,
  type DisconnectReason,
  subject,
  type LifecycleEvent,
  type Subject,
} from './lifecycle';
import { MqttStream } from './mqtt-stream';
import { createRights, NOWHERE, type RightsOptions } from './rights';
import type { RuleMessage } from './rule-sql';
import { createSessions } from './sessions';

/** Most filters in one SUBSCRIBE (AWS IoT Core quotas). */
const MAX_FILTERS_PER_SUBSCRIBE = 8;
/** For the TLS handshake, and again for CONNECT. */
const PATIENCE_MS = 10_000;

export interface BrokerOptions extends Omit<AdmissionOptions & RightsOptions, 'connections'> {
  /** Without it nobody can connect, but messages can be published and retained. */
  readonly listen:
    { readonly host: string; readonly port: number; readonly key: string; readonly cert: string } | undefined;
  /** Who is connected, as it outlives the process. */
  readonly noted: LeftOpen<Subject>;
  /** Told of every message that is published. */
  onMessage(message: RuleMessage): void;
  onLifecycleEvent(event: LifecycleEvent): void;
}

/** A message as the API publishes it. */
export interface Message {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1;
  readonly retain: boolean;
  /** After so many seconds it is not retained any more. */
  readonly expirySeconds?: number | undefined;
}

export interface Broker {
  readonly port: number | undefined;
  /** Resolves when the message is on its way to every subscriber. */
  publish(message: Message): Promise<void>;
  /** Ends the connection of a client; false when there is none. */
  disconnect(clientId: string, options: { cleanSession: boolean; preventWill: boolean }): Promise<boolean>;
  stop(): Promise<void>;
}

export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const { listen, log, noted, onMessage, onLifecycleEvent } = options;
  const connections: Connections = { of: new WeakMap(), byClientId: new Map() };
  const sessions = createSessions(
    options.retained,
    (client, filter) => connections.of.get(client)?.filters.has(filter) === true,
  );
  const aedes = await Aedes.createBroker({
    ...createAdmission({ ...options, connections }),
    ...createRights({ ...options, connections }),
    persistence: sessions,
    connectTimeout: PATIENCE_MS,
    drainTimeout: PATIENCE_MS,
  });
  const sockets = new Set<Socket>();
  const server = listen && (await openServer(listen, sockets, (stream) => aedes.handle(stream)));

  /** A topic without a retained message has none to wait for: whatever is published from now on is live. */
  const noteRetained = (connection: Connection | undefined, topics: readonly string[]) => {
    for (const topic of topics) if (!options.retained.get(topic)) connection?.awaitingRetained.delete(topic);
  };

  const tell = (client: Client, event: (connection: Connection) => LifecycleEvent | undefined) => {
    const connection = connections.of.get(client);
    const told = connection && hasEvents(connection) ? event(connection) : undefined;
    if (told) onLifecycleEvent(told);
  };

  const clocks = new WeakMap<Client, () => void>();
  aedes.on('client', (client) => {
    const connection = connections.of.get(client);
    // aedes also registers a client that went away while it was let in, and never says that it left.
    if (!connection || client.closed) return;
    const earlier = connections.byClientId.get(connection.clientId);
    connections.byClientId.set(connection.clientId, connection);
    if (earlier) void end(earlier, 'DUPLICATE_CLIENTID');
    sessions.back(connection.clientId);
    clocks.set(client, connection.startClocks());
    if (hasEvents(connection)) noted.opened(connection.sessionIdentifier, subject.parse(connection));
    tell(client, connected);
  });
  aedes.on('clientDisconnect', (client) => {
    const connection = connections.of.get(client);
    const stopClocks = clocks.get(client);
    if (!connection || !stopClocks) return;
    stopClocks();
    const { clientId, persistent } = connection;
    if (connections.byClientId.get(clientId) === connection) connections.byClientId.delete(clientId);
    if (persistent) sessions.left(clientId);
    tell(client, () => disconnected(connection, connection.endReason ?? reasonOf(client)));
    noted.closed(connection.sessionIdentifier);
  });
  aedes.on('keepaliveTimeout', (client) => noteReason(connections, client, 'MQTT_KEEP_ALIVE_TIMEOUT'));
  aedes.on('clientError', (client, error) => {
    // Errors of the system carry a code: the line is dead. All others are the client's.
    noteReason(connections, client, 'code' in error ? 'CONNECTION_LOST' : 'CLIENT_ERROR');
  });
  aedes.on('connectionError', () => undefined);
  aedes.on('subscribe', (subscriptions, client) => {
    // QoS 128 says that the filter was refused.
    const granted = subscriptions.filter(({ qos }) => (qos as number) !== 128).map(({ topic }) => topic);
    noteRetained(connections.of.get(client), granted);
    if (granted.length > 0) tell(client, (connection) => subscribed(connection, granted));
    if (subscriptions.length <= MAX_FILTERS_PER_SUBSCRIBE) return;
    log(`${client.id}: more than ${MAX_FILTERS_PER_SUBSCRIBE} filters in one SUBSCRIBE`);
    noteReason(connections, client, 'CLIENT_ERROR');
    client.close();
  });
  aedes.on('unsubscribe', (filters, client) => {
    // aedes says it of a client that leaves, too; AWS does not.
    const left = filters.filter((filter) => connections.of.get(client)?.filters.delete(filter));
    if (left.length > 0 && !client.closed) tell(client, (connection) => unsubscribed(connection, left));
  });
  aedes.on('publish', ({ topic, payload }, client) => {
    if (topic === NOWHERE) return;
    onMessage({ topic, payload: Buffer.from(payload), clientId: client?.id });
  });

  return {
    port: server && (server.address() as AddressInfo).port,
    async publish({ expirySeconds, ...message }) {
      await new Promise<void>((resolve, reject) => {
        aedes.publish({ cmd: 'publish', dup: false, ...message }, (error) => (error ? reject(error) : resolve()));
      });
      if (message.retain && expirySeconds !== undefined)
        options.retained.expire(message.topic, message.payload, expirySeconds);
    },
    async disconnect(clientId, { cleanSession, preventWill }) {
      const connection = connections.byClientId.get(clientId);
      if (!connection) return false;
      connection.willPrevented = preventWill;
      await end(connection, 'API_INITIATED_DISCONNECT');
      if (cleanSession) sessions.end(clientId);
      return true;
    },
    async stop() {
      server?.close();
      for (const connection of connections.byClientId.values()) connection.endReason ??= 'SERVER_INITIATED_DISCONNECT';
      await new Promise<void>((resolve) => aedes.close(resolve));
      for (const socket of sockets) socket.destroy();
      sessions.end();
    },
  };
}

/** AWS sends no events of client ids with wildcards. */
const hasEvents = ({ clientId }: Subject) => !/[+#]/.test(clientId);

function noteReason({ of }: Connections, client: Client, reason: DisconnectReason): void {
  const connection = of.get(client);
  if (connection) connection.endReason ??= reason;
}

function reasonOf({ conn }: Client): DisconnectReason {
  return conn instanceof MqttStream && conn.saidGoodbye ? 'CLIENT_INITIATED_DISCONNECT' : 'CONNECTION_LOST';
}

async function openServer(
  { host, port, key, cert }: NonNullable<BrokerOptions['listen']>,
  sockets: Set<Socket>,
  onStream: (stream: MqttStream) => void,
): Promise<Server> {
  const server = createServer({
    key,
    cert,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['mqtt'],
    handshakeTimeout: PATIENCE_MS,
    noDelay: true,
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('secureConnection', (socket) => onStream(new MqttStream(socket)));
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(port, host, resolve));
  return server;
}

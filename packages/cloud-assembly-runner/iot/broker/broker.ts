/** The message broker: aedes over TLS, with the behaviour of AWS IoT Core. */
import { Aedes, type Client, type SubscribePacket } from 'aedes';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { EventEmitter } from 'node:events';
import { CLIENTS, type Meter } from '../../billing/meter';
import type { ConnectionLog } from '../../data-folder/connection-log';
import { ONE_MESSAGE, publishCharges, subscribeCharges } from '../charges';
import { createAdmission, type AdmissionOptions } from './connect';
import {
  connected,
  disconnected,
  end,
  subject,
  subscribed,
  unsubscribed,
  type Connection,
  type Connections,
  type DisconnectReason,
  type LifecycleEvent,
  type Subject,
} from './connection';
import { MqttStream } from './mqtt-stream';
import type { Authorizer } from '../authorizer';
import { createAuthorizationHooks, DISCARD_TOPIC, type AuthorizationOptions } from '../authorization';
import type { RuleMessage } from '../rules';
import { createSessions } from './sessions';

/** Time for the TLS handshake, and again for CONNECT. */
const CONNECT_TIMEOUT_MS = 10_000;

export interface BrokerOptions extends Omit<AdmissionOptions & AuthorizationOptions, 'connections'> {
  /** Without it no client can connect, but messages can be published and retained. */
  readonly listen:
    | { readonly host: string; readonly port: number; readonly key: string; readonly cert: string }
    | undefined;
  /** Decides about clients that connect over TLS. */
  readonly authorizer: Authorizer | undefined;
  /** Log of open connections, which survives the process. */
  readonly connectionLog: ConnectionLog<Subject>;
  readonly meter: Meter;
  /** Called for each published message. */
  onMessage(message: RuleMessage): void;
  onLifecycleEvent(event: LifecycleEvent): void;
}

/** A message published by the API. */
export interface Message {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1;
  readonly retain: boolean;
  /** Seconds after which the message is no longer retained. */
  readonly expirySeconds?: number | undefined;
}

export interface Broker {
  readonly port: number | undefined;
  /** Serves a client that has connected over something else than TLS. */
  serve(stream: MqttStream): void;
  /** Resolves when the message has been handed to all subscribers' connections. */
  publish(message: Message): Promise<void>;
  /** QoS by filter of a client's session, which may have outlived its connection. @returns undefined without a session */
  subscriptionsOf(clientId: string): ReadonlyMap<string, number> | undefined;
  /** Closes the connection of a client. @returns false when it is not connected */
  disconnect(clientId: string, options: { cleanSession: boolean; preventWill: boolean }): Promise<boolean>;
  stop(): Promise<void>;
}

export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const { listen, log, meter, connectionLog: connectionLog, onMessage, onLifecycleEvent } = options;
  const connections: Connections = { of: new WeakMap(), byClientId: new Map() };
  const sessions = createSessions(
    options.retained,
    (client, filter) => connections.of.get(client)?.filters.has(filter) === true,
  );
  const aedes = await Aedes.createBroker({
    ...createAdmission({ ...options, connections }),
    ...createAuthorizationHooks({ ...options, connections }),
    persistence: sessions,
    connectTimeout: CONNECT_TIMEOUT_MS,
    drainTimeout: CONNECT_TIMEOUT_MS,
  });
  const serve = (stream: MqttStream) => {
    const client = aedes.handle(stream);
    discardSubscribes(client, log, () => {
      setEndReason(connections, client, 'CLIENT_ERROR');
      client.close();
    });
  };
  const sockets = new Set<Socket>();
  const server = listen && (await openServer(listen, sockets, (socket) => serve(overTls(socket, options.authorizer))));

  /** A topic without a retained message has none to be sent first: all messages from now on are live. */
  const skipMissingRetained = (connection: Connection | undefined, topics: readonly string[]) => {
    for (const topic of topics) if (!options.retained.get(topic)) connection?.awaitingRetained.delete(topic);
  };

  const emit = (client: Client, event: (connection: Connection) => LifecycleEvent | undefined) => {
    const connection = connections.of.get(client);
    const lifecycleEvent = connection && hasEvents(connection) ? event(connection) : undefined;
    if (lifecycleEvent) onLifecycleEvent(lifecycleEvent);
  };

  const stopTimers = new WeakMap<Client, () => void>();
  aedes.on('client', (client) => {
    const connection = connections.of.get(client);
    // aedes also registers a client that closed during authentication, and emits no clientDisconnect for it.
    if (!connection || client.closed) return;
    const earlier = connections.byClientId.get(connection.clientId);
    connections.byClientId.set(connection.clientId, connection);
    if (earlier) void end(earlier, 'DUPLICATE_CLIENTID');
    sessions.resume(connection.clientId);
    const stopExpiry = connection.startTimers();
    const stopMinutes = meter.chargeWhile(CLIENTS, 'iot:minutes');
    stopTimers.set(client, () => {
      stopExpiry();
      stopMinutes();
    });
    meter.charge(CLIENTS, ONE_MESSAGE);
    if (hasEvents(connection)) connectionLog.opened(connection.sessionIdentifier, subject.parse(connection));
    emit(client, connected);
  });
  aedes.on('clientDisconnect', (client) => {
    const connection = connections.of.get(client);
    const stop = stopTimers.get(client);
    if (!connection || !stop) return;
    stop();
    const { clientId, persistent } = connection;
    if (connections.byClientId.get(clientId) === connection) connections.byClientId.delete(clientId);
    if (persistent) sessions.suspend(clientId);
    emit(client, () => disconnected(connection, connection.endReason ?? reasonOf(client)));
    connectionLog.closed(connection.sessionIdentifier);
  });
  aedes.on('keepaliveTimeout', (client) => setEndReason(connections, client, 'MQTT_KEEP_ALIVE_TIMEOUT'));
  aedes.on('clientError', (client, error) => {
    // System errors have a code: the connection is lost. All others are protocol errors of the client.
    setEndReason(connections, client, 'code' in error ? 'CONNECTION_LOST' : 'CLIENT_ERROR');
  });
  aedes.on('connectionError', () => undefined);
  aedes.on('subscribe', (subscriptions, client) => {
    meter.charge(CLIENTS, subscribeCharges(subscriptions.map(({ topic }) => topic)));
    // QoS 128: the filter was refused.
    const granted = subscriptions.filter(({ qos }) => (qos as number) !== 128).map(({ topic }) => topic);
    skipMissingRetained(connections.of.get(client), granted);
    if (granted.length > 0) emit(client, (connection) => subscribed(connection, granted));
  });
  aedes.on('unsubscribe', (filters, client) => {
    // aedes also emits it when a client disconnects; AWS sends no such event.
    const left = filters.filter((filter) => connections.of.get(client)?.filters.delete(filter));
    if (left.length > 0 && !client.closed) emit(client, (connection) => unsubscribed(connection, left));
  });
  aedes.on('ack', () => meter.charge(CLIENTS, ONE_MESSAGE));
  aedes.on('publish', ({ topic, payload, retain }, client) => {
    if (topic === DISCARD_TOPIC) return;
    if (client) meter.charge(CLIENTS, publishCharges(topic, Buffer.from(payload), retain));
    onMessage({ topic, payload: Buffer.from(payload), clientId: client?.id });
  });

  return {
    port: server && (server.address() as AddressInfo).port,
    serve,
    async publish({ expirySeconds, ...message }) {
      await new Promise<void>((resolve, reject) => {
        aedes.publish({ cmd: 'publish', dup: false, ...message }, (error) => (error ? reject(error) : resolve()));
      });
      if (message.retain && expirySeconds !== undefined)
        options.retained.expire(message.topic, message.payload, expirySeconds);
    },
    subscriptionsOf: (clientId) => connections.byClientId.get(clientId)?.filters ?? sessions.filtersOf(clientId),
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

/** AWS sends no lifecycle events for client ids with wildcards. */
const hasEvents = ({ clientId }: Subject) => !/[+#]/.test(clientId);

function setEndReason({ of }: Connections, client: Client, reason: DisconnectReason): void {
  const connection = of.get(client);
  if (connection) connection.endReason ??= reason;
}

function reasonOf({ conn }: Client): DisconnectReason {
  return conn instanceof MqttStream && conn.receivedDisconnect ? 'CLIENT_INITIATED_DISCONNECT' : 'CONNECTION_LOST';
}

function overTls(socket: TLSSocket, authorizer: Authorizer | undefined): MqttStream {
  const { servername, remoteAddress: ipAddress = '' } = socket;
  const serverName = typeof servername === 'string' && servername !== '' ? servername : undefined;
  return new MqttStream(socket, { authorizer, serverName, ipAddress });
}

async function openServer(
  { host, port, key, cert }: NonNullable<BrokerOptions['listen']>,
  sockets: Set<Socket>,
  onSocket: (socket: TLSSocket) => void,
): Promise<Server> {
  const server = createServer({
    key,
    cert,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['mqtt'],
    handshakeTimeout: CONNECT_TIMEOUT_MS,
    noDelay: true,
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('secureConnection', onSocket);
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(port, host, resolve));
  return server;
}

/** Maximum filters in one SUBSCRIBE (AWS IoT Core quotas, "Subscriptions per subscribe request"). */
const MAX_FILTERS_PER_SUBSCRIBE = 8;

/**
 * Makes the broker discard a SUBSCRIBE as a whole, since its filters have one SUBACK together. There is no subscription
 * and no SUBACK.
 * - With QoS 2 the connection stays open: "the message broker doesn't send a PUBACK or SUBACK when QoS 2 is requested"
 *   (AWS IoT Core developer guide, "AWS IoT differences from MQTT specifications"). A PUBLISH is discarded when it is
 *   authorised.
 * - With more than eight filters the connection is closed.
 *
 * @param client to which aedes has passed no packet yet
 * @param close ends the connection of the client
 */
function discardSubscribes(client: Client, log: (line: string) => void, close: () => void): void {
  // aedes asks about each filter by itself, and always sends a SUBACK; so the packet is changed before aedes gets it.
  const { _parser: parser } = client as Client & { readonly _parser: EventEmitter };
  parser.prependListener('packet', (packet: SubscribePacket | { readonly cmd: 'other' }) => {
    if (packet.cmd !== 'subscribe') return;
    const isTooMany = packet.subscriptions.length > MAX_FILTERS_PER_SUBSCRIBE;
    if (!isTooMany && packet.subscriptions.every(({ qos }) => qos < 2)) return;
    log(
      isTooMany
        ? `${client.id}: more than ${MAX_FILTERS_PER_SUBSCRIBE} filters in one SUBSCRIBE`
        : `${client.id}: SUBSCRIBE ignored, QoS 2 is not supported`,
    );
    // Without filters there is nothing to subscribe to; without an id aedes sends no SUBACK.
    Object.assign(packet, { subscriptions: [], messageId: undefined });
    if (isTooMany) close();
  });
}

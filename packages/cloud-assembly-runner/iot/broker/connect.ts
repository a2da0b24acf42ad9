/** Handling of CONNECT: AWS IoT Core developer guide, "MQTT" and "Custom authentication", and AWS IoT Core quotas. */
import type { AedesOptions, Client, ConnectPacket } from 'aedes';
import { randomUUID } from 'node:crypto';
import type { Arns } from '../arns';
import type { Credentials, Authorization } from '../authorizer';
import type { Faults } from '../../faults';
import type { Quotas } from '../../quotas';
import { end, type Connection, type Connections } from './connection';
import { MqttStream, type Peer } from './mqtt-stream';
import { createPermits, type Permits } from '../authorization';
import { isInvalidTopic } from '../topic';

const MAX_CLIENT_ID_BYTES = 128;
/** Range of the keep-alive interval; 0 is treated as the maximum. */
const MAX_KEEP_ALIVE_SECONDS = 1200;
const MIN_KEEP_ALIVE_SECONDS = 30;
/** Return codes of CONNACK (MQTT 3.1.1, table 3.1). */
const IDENTIFIER_REJECTED = 2;
const NOT_AUTHORIZED = 5;
/** For throttled clients; AWS does not document which code it uses. */
const SERVER_UNAVAILABLE = 3;

export interface AdmissionOptions {
  readonly connections: Connections;
  readonly arns: Arns;
  readonly quotas: Pick<Quotas, 'admits'>;
  readonly faults: Pick<Faults, 'refreshMs'>;
  log(line: string): void;
}

type Admission = Pick<Required<AedesOptions>, 'preConnect' | 'authenticate'>;

/** aedes' hooks for CONNECT: the policies that the authorizer returns must allow the connection and its last will. */
export function createAdmission({ connections, arns, quotas, faults, log }: AdmissionOptions): Admission {
  const requests = new WeakMap<Client, ConnectPacket>();
  let versionNumber = 0;

  /** Admits a client. @returns the CONNACK return code of a refusal, undefined for an admitted client */
  async function admit(client: Client, username?: string, password?: Buffer): Promise<number | undefined> {
    const request = requests.get(client);
    const stream = client.conn;
    if (!request || !(stream instanceof MqttStream)) return NOT_AUTHORIZED;
    const { clientId } = request;
    if (Buffer.byteLength(clientId) > MAX_CLIENT_ID_BYTES || clientId.startsWith('$')) return IDENTIFIER_REJECTED;

    if (!quotas.admits('iotConnects') || !quotas.admits('iotConnectsOfClient', clientId)) {
      log(`connection of ${client.id} refused: throttled`);
      return SERVER_UNAVAILABLE;
    }

    const { serverName, http, ipAddress } = stream.peer;
    const connectionId = randomUUID();
    const credentials: Credentials = { connectionId, serverName, http, clientId, username, password };
    const authorized = await authorize(stream.peer, credentials, client.id);
    if (!authorized) return NOT_AUTHORIZED;
    const { authorization: authorization, permits } = authorized;
    if (!mayConnect(permits, client.id, request)) {
      log(`connection ${credentials.connectionId} of ${client.id} refused: its policies do not allow it`);
      return NOT_AUTHORIZED;
    }

    const connection: Connection = {
      client,
      clientId: client.id,
      sessionIdentifier: credentials.connectionId,
      principalId: authorization.principalId,
      ipAddress,
      versionNumber: versionNumber++,
      persistent: request.clean === false,
      filters: new Map(),
      awaitingRetained: new Set(),
      permits,
      startTimers: () => startTimers(connection, stream.peer, credentials, authorization),
    };
    connections.of.set(client, connection);
    const earlier = connections.byClientId.get(client.id);
    if (earlier) earlier.endReason ??= 'DUPLICATE_CLIENTID';
    return undefined;
  }

  /** Calls the authorizer; undefined when it refuses the client or its policies are not supported. */
  async function authorize({ authorizer }: Peer, credentials: Credentials, clientId: string) {
    const authorization = await authorizer?.(credentials);
    if (!authorization) return undefined;
    const onError = (error: unknown) => log(`a policy of ${clientId} can't be evaluated: ${String(error)}`);
    try {
      return { authorization: authorization, permits: createPermits(authorization.documents, clientId, onError) };
    } catch (error) {
      onError(error);
      return undefined;
    }
  }

  function mayConnect(permits: Permits, clientId: string, { will, clean }: ConnectPacket): boolean {
    const attributes = [...(clean === false ? ['PersistentConnect'] : []), ...(will ? ['LastWill'] : [])];
    if (!permits('iot:Connect', arns.client(clientId), { 'iot:ConnectAttributes': attributes })) return false;
    if (!will) return true;
    const topic = arns.topic(will.topic);
    if (isInvalidTopic(will.topic) || will.qos === 2 || !permits('iot:Publish', topic)) return false;
    return will.retain !== true || permits('iot:RetainPublish', topic);
  }

  function startTimers(
    connection: Connection,
    peer: Peer,
    credentials: Credentials,
    authorization: Authorization,
  ): () => void {
    const refresh = async () => {
      const authorized = await authorize(peer, credentials, connection.clientId);
      if (authorized) connection.permits = authorized.permits;
      else await end(connection, 'AUTH_ERROR');
    };
    const expiry = setTimeout(
      () => void end(connection, 'CUSTOMAUTH_TTL_EXPIRATION'),
      authorization.disconnectAfterSeconds * 1000,
    );
    const refreshing = setInterval(
      () => void refresh(),
      faults.refreshMs() ?? authorization.refreshAfterSeconds * 1000,
    );
    return () => {
      clearTimeout(expiry);
      clearInterval(refreshing);
    };
  }

  return {
    preConnect(client, packet, done) {
      if (packet.protocolVersion === 5) {
        log(`MQTT 5 is not supported on this machine; ${packet.clientId} must use MQTT 3.1.1`);
        client.conn.write(MQTT_5_CONNACK);
        done(new Error('MQTT 5'), false);
        return;
      }
      packet.keepalive = Math.max(
        MIN_KEEP_ALIVE_SECONDS,
        Math.min(packet.keepalive || MAX_KEEP_ALIVE_SECONDS, MAX_KEEP_ALIVE_SECONDS),
      );
      requests.set(client, packet);
      done(null, true);
    },

    authenticate(client, username, password, done) {
      const refuse = (returnCode: number) => done(Object.assign(new Error('refused'), { returnCode }), false);
      admit(client, username, password).then(
        (returnCode) => (returnCode === undefined ? done(null, true) : refuse(returnCode)),
        (error: unknown) => {
          log(`connection of ${client.id} refused: ${String(error)}`);
          refuse(NOT_AUTHORIZED);
        },
      );
    },
  };
}

/** CONNACK of MQTT 5 with reason code 0x84, "Unsupported Protocol Version", and a reason string (section 3.2). */
const MQTT_5_CONNACK = (() => {
  const reason = Buffer.from('This broker supports MQTT 3.1.1');
  const property = Buffer.from([0x1f, 0, reason.length, ...reason]);
  return Buffer.from([0x20, 3 + property.length, 0, 0x84, property.length, ...property]);
})();

/** Who may connect: AWS IoT Core developer guide, "MQTT" and "Custom authentication", and AWS IoT Core quotas. */
import type { AedesOptions, Client, ConnectPacket } from 'aedes';
import { randomUUID } from 'node:crypto';
import type { Arns } from './arns';
import type { Authorizer, Credentials, Verdict } from './authorizer';
import type { Quotas } from '../quotas';
import { end, type Connection, type Connections } from './connection';
import { MqttStream } from './mqtt-stream';
import { createPermits, type Permits } from './policy';
import { isBadTopic } from './topic';

const MAX_CLIENT_ID_BYTES = 128;
/** Longest and shortest silence that a client can ask for, in seconds; none stands for the longest. */
const MAX_KEEP_ALIVE = 1200;
const MIN_KEEP_ALIVE = 30;
/** Return codes of CONNACK (MQTT 3.1.1, table 3.1). */
const IDENTIFIER_REJECTED = 2;
const NOT_AUTHORIZED = 5;
/** What a throttled client is told; which one AWS uses, it does not say. */
const SERVER_UNAVAILABLE = 3;

export interface AdmissionOptions {
  readonly connections: Connections;
  readonly authorizer: Authorizer | undefined;
  readonly arns: Arns;
  readonly quotas: Pick<Quotas, 'admits'>;
  log(line: string): void;
}

type Admission = Pick<Required<AedesOptions>, 'preConnect' | 'authenticate'>;

/** aedes' hooks for a CONNECT: the authorizer is asked, its policies must allow the connection and its last will. */
export function createAdmission({ connections, authorizer, arns, quotas, log }: AdmissionOptions): Admission {
  const requests = new WeakMap<Client, ConnectPacket>();
  let versionNumber = 0;

  /** Gives the return code of a refusal. */
  async function admit(client: Client, username?: string, password?: Buffer): Promise<number | undefined> {
    const request = requests.get(client);
    const stream = client.conn;
    if (!request || !(stream instanceof MqttStream)) return NOT_AUTHORIZED;
    const { clientId } = request;
    if (Buffer.byteLength(clientId) > MAX_CLIENT_ID_BYTES || clientId.startsWith('$')) return IDENTIFIER_REJECTED;

    if (!quotas.admits('iotConnects') || !quotas.admits('iotConnectsOfClient', clientId)) {
      log(`a connection of ${client.id} refused: throttled`);
      return SERVER_UNAVAILABLE;
    }

    const { servername } = stream.socket;
    const serverName = typeof servername === 'string' && servername !== '' ? servername : undefined;
    const credentials: Credentials = { connectionId: randomUUID(), serverName, clientId, username, password };
    const judged = await judge(credentials, client.id);
    if (!judged) return NOT_AUTHORIZED;
    const { verdict, permits } = judged;
    if (!mayConnect(permits, client.id, request)) {
      log(`connection ${credentials.connectionId} of ${client.id} refused: its policies do not allow it`);
      return NOT_AUTHORIZED;
    }

    const connection: Connection = {
      client,
      clientId: client.id,
      sessionIdentifier: credentials.connectionId,
      principalId: verdict.principalId,
      ipAddress: stream.socket.remoteAddress ?? '',
      versionNumber: versionNumber++,
      persistent: request.clean === false,
      filters: new Set(),
      awaitingRetained: new Set(),
      permits,
      startClocks: () => startClocks(connection, credentials, verdict),
    };
    connections.of.set(client, connection);
    const earlier = connections.byClientId.get(client.id);
    if (earlier) earlier.endReason ??= 'DUPLICATE_CLIENTID';
    return undefined;
  }

  /** Asks the authorizer; policies that can't be evaluated here are no answer. */
  async function judge(credentials: Credentials, clientId: string) {
    const verdict = await authorizer?.(credentials);
    if (!verdict) return undefined;
    const complain = (error: unknown) => log(`a policy of ${clientId} can't be evaluated: ${String(error)}`);
    try {
      return { verdict, permits: createPermits(verdict.documents, clientId, complain) };
    } catch (error) {
      complain(error);
      return undefined;
    }
  }

  function mayConnect(permits: Permits, clientId: string, { will, clean }: ConnectPacket): boolean {
    const attributes = [...(clean === false ? ['PersistentConnect'] : []), ...(will ? ['LastWill'] : [])];
    if (!permits('iot:Connect', arns.client(clientId), { 'iot:ConnectAttributes': attributes })) return false;
    if (!will) return true;
    const topic = arns.topic(will.topic);
    if (isBadTopic(will.topic) || will.qos === 2 || !permits('iot:Publish', topic)) return false;
    return will.retain !== true || permits('iot:RetainPublish', topic);
  }

  function startClocks(connection: Connection, credentials: Credentials, verdict: Verdict): () => void {
    const refresh = async () => {
      const judged = await judge(credentials, connection.clientId);
      if (judged) connection.permits = judged.permits;
      else await end(connection, 'AUTH_ERROR');
    };
    const expiry = setTimeout(
      () => void end(connection, 'CUSTOMAUTH_TTL_EXPIRATION'),
      verdict.disconnectAfterSeconds * 1000,
    );
    const refreshing = setInterval(() => void refresh(), verdict.refreshAfterSeconds * 1000);
    return () => {
      clearTimeout(expiry);
      clearInterval(refreshing);
    };
  }

  return {
    preConnect(client, packet, done) {
      if (packet.protocolVersion === 5) {
        log(`MQTT 5 is not played on this machine; ${packet.clientId} has to speak MQTT 3.1.1`);
        client.conn.write(refusalOfMqtt5);
        done(new Error('MQTT 5'), false);
        return;
      }
      packet.keepalive = Math.max(MIN_KEEP_ALIVE, Math.min(packet.keepalive || MAX_KEEP_ALIVE, MAX_KEEP_ALIVE));
      requests.set(client, packet);
      done(null, true);
    },

    authenticate(client, username, password, done) {
      const refuse = (returnCode: number) => done(Object.assign(new Error('refused'), { returnCode }), false);
      admit(client, username, password).then(
        (returnCode) => (returnCode === undefined ? done(null, true) : refuse(returnCode)),
        (error: unknown) => {
          log(`a connection of ${client.id} refused: ${String(error)}`);
          refuse(NOT_AUTHORIZED);
        },
      );
    },
  };
}

/** CONNACK of MQTT 5 with reason code 0x84, "Unsupported Protocol Version", and a reason string (section 3.2). */
const refusalOfMqtt5 = (() => {
  const reason = Buffer.from('This broker speaks MQTT 3.1.1');
  const property = Buffer.from([0x1f, 0, reason.length, ...reason]);
  return Buffer.from([0x20, 3 + property.length, 0, 0x84, property.length, ...property]);
})();

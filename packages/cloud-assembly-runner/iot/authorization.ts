/**
 * Authorisation of connected clients: AWS IoT Core developer guide, "AWS IoT Core policies", "Basic AWS IoT Core policy
 * variables", "AWS IoT Core policy actions", "Reserved topics" and "AWS IoT differences from MQTT specifications", and AWS
 * IoT Core quotas, "Message broker".
 */
import type { AedesOptions, AedesPublishPacket, PublishPacket, Subscription } from 'aedes';
import { evaluate, type AccessRequest, type PolicyDocument } from '../iam/policy';
import { CLIENTS, type Meter } from '../billing/meter';
import type { Arns } from './arns';
import type { Quotas } from '../quotas';
import type { Connection, Connections, DisconnectReason } from './broker/connection';
import { deliveryCharges } from './charges';
import { deliver, type RetainedMessages } from './broker/retained';
import { isInvalidTopic, isReserved, isTooLarge, topicMatches } from './topic';

/** Whether a client's policies allow an action, such as `iot:Subscribe`, on a resource ARN. */
export type Permits = (action: string, resource: string, context?: AccessRequest['context']) => boolean;

/**
 * In names and in values of variables `*` and `?` are plain characters. During evaluation lone surrogates replace them,
 * which no decoded UTF-8 text contains.
 */
const LITERALS: Readonly<Record<string, string>> = { '*': '\uD800', '?': '\uD801' };

/**
 * Compiles a client's policies. `*` and `?` are wildcards in a policy, MQTT's `+` and `#` are plain characters, and
 * `${iot:ClientId}` is replaced by the client id, literally. When a condition is not supported, the request is denied and
 * `onError` receives the error.
 * @throws Error for any other policy variable
 */
export function createPermits(
  documents: readonly PolicyDocument[],
  clientId: string,
  onError: (error: unknown) => void,
): Permits {
  const own = documents.map(({ Statement, ...rest }) => ({
    ...rest,
    Statement: Statement.map((one) => ({
      ...one,
      Resource: one.Resource?.map((pattern) => substitute(pattern, clientId)),
      NotResource: one.NotResource?.map((pattern) => substitute(pattern, clientId)),
    })),
  }));
  return (action, resource, context = {}) => {
    try {
      return evaluate(own, { action, resource: escapeWildcards(resource), context }) === 'allow';
    } catch (error) {
      onError(error);
      return false;
    }
  };
}

function escapeWildcards(text: string): string {
  return text.replace(/[*?]/g, (character) => LITERALS[character] ?? character);
}

function substitute(pattern: string, clientId: string): string {
  return pattern.replace(/\$\{([^}]*)\}/g, (whole, name: string) => {
    if (name === 'iot:ClientId') return escapeWildcards(clientId);
    if (name === '*' || name === '?' || name === '$') return escapeWildcards(name);
    throw new Error(`The policy variable ${whole} is not supported on this machine`);
  });
}

/** Maximum payload of a message. */
export const MAX_PAYLOAD_BYTES = 128 * 1024;

export interface AuthorizationOptions {
  readonly connections: Connections;
  readonly retained: RetainedMessages;
  readonly arns: Arns;
  readonly subscriptionsPerConnection: number;
  readonly quotas: Pick<Quotas, 'admits'>;
  readonly meter: Pick<Meter, 'charge'>;
  log(line: string): void;
}

type AuthorizationHooks = Pick<Required<AedesOptions>, 'authorizePublish' | 'authorizeSubscribe' | 'authorizeForward'>;

/** A violation that ends the connection. */
class Violation extends Error {
  constructor(
    readonly reason: DisconnectReason,
    message: string,
  ) {
    super(message);
  }
}

/** aedes' hooks for publishing, subscribing and receiving. An error that is passed to `done` ends the connection. */
export function createAuthorizationHooks(options: AuthorizationOptions): AuthorizationHooks {
  const { connections, retained, arns, subscriptionsPerConnection, quotas, meter, log } = options;
  const unknown = new Violation('CLIENT_ERROR', 'not connected');

  function publishViolation(connection: Connection, packet: PublishPacket): Violation | undefined {
    const { topic, payload, retain } = packet;
    if (connection.willPrevented === true)
      return new Violation('API_INITIATED_DISCONNECT', 'the last will is suppressed');
    if (isInvalidTopic(topic)) return new Violation('CLIENT_ERROR', 'invalid topic');
    if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) return new Violation('CLIENT_ERROR', 'payload too large');
    const actions = retain ? ['iot:Publish', 'iot:RetainPublish'] : ['iot:Publish'];
    const missing = actions.find((action) => !connection.permits(action, arns.topic(topic)));
    return missing === undefined ? undefined : new Violation('AUTH_ERROR', `${missing} is not allowed`);
  }

  function subscriptionViolation({ filters }: Connection, { topic }: Subscription): Violation | undefined {
    if (filters.has(topic) || filters.size < subscriptionsPerConnection) return undefined;
    return new Violation('CLIENT_ERROR', `more than ${subscriptionsPerConnection} subscriptions of one connection`);
  }

  function filterDenial(connection: Connection, filter: string): string | undefined {
    if (isTooLarge(filter)) return 'filter too long or too deep';
    // Policies treat a shared subscription like any filter: topicfilter/$share/<group>/<filter>.
    if (!connection.permits('iot:Subscribe', arns.topicfilter(filter))) return 'iot:Subscribe is not allowed';
    if (filter.startsWith('$share/')) return 'shared subscriptions are not supported on this machine';
    return isReserved(filter) ? 'reserved topic' : undefined;
  }

  function mayReceive(connection: Connection, { topic, payload, retain }: AedesPublishPacket): boolean {
    // A retained message that was replaced since aedes read it, or already sent, would arrive after newer messages.
    if (retain && (retained.get(topic)?.payload !== payload || !connection.awaitingRetained.delete(topic)))
      return false;
    const { filters } = connection;
    if (!filters.has(topic) && ![...filters.keys()].some((filter) => topicMatches(filter, topic))) return false;
    return connection.permits('iot:Receive', arns.topic(topic));
  }

  /**
   * aedes reads the retained message some event loop turns after a subscription; live messages of that time would arrive
   * before it. To keep the order, the retained message is sent before the first live one.
   */
  function sendRetainedFirst({ client, awaitingRetained }: Connection, live: AedesPublishPacket): void {
    if (!awaitingRetained.has(live.topic)) return;
    const message = retained.get(live.topic);
    const isLive = message?.payload.equals(Buffer.from(live.payload)) === true;
    if (message && !isLive) {
      meter.charge(CLIENTS, deliveryCharges(message.topic, message.payload));
      deliver(client, message);
    }
    awaitingRetained.delete(live.topic);
  }

  /** AWS IoT does not support QoS 2, and answers nothing to it ("AWS IoT differences from MQTT specifications"). */
  function isQos2({ clientId }: Connection, { qos }: PublishPacket): boolean {
    if (qos === 2) log(`${clientId}: PUBLISH ignored, QoS 2 is not supported`);
    return qos === 2;
  }

  function isThrottled({ sessionIdentifier }: Connection, { topic, retain }: PublishPacket): boolean {
    if (!quotas.admits('iotPublishesOfConnection', sessionIdentifier)) return true;
    return !quotas.admits('iotInboundPublishes') || (retain && !admitsRetained(quotas, topic));
  }

  function isAdmitted({ sessionIdentifier }: Connection): boolean {
    return quotas.admits('iotPublishesOfConnection', sessionIdentifier) && quotas.admits('iotOutboundPublishes');
  }

  function logViolation(connection: Connection, { reason, message }: Violation): void {
    connection.endReason ??= reason;
    log(`${connection.clientId}: ${message}`);
  }

  return {
    /** An unauthorised publish ends the connection. Also called for a last will, after the connection has ended. */
    authorizePublish(client, packet, done) {
      const connection = client ? connections.of.get(client) : undefined;
      const violation = connection ? publishViolation(connection, packet) : unknown;
      if (connection && violation) logViolation(connection, violation);
      else if (connection && (isQos2(connection, packet) || isThrottled(connection, packet))) discard(packet);
      done(violation);
    },

    /** A refused filter gets return code 0x80 in SUBACK. */
    authorizeSubscribe(client, subscription, done) {
      const connection = connections.of.get(client);
      const denial = connection && filterDenial(connection, subscription.topic);
      const violation = connection ? subscriptionViolation(connection, subscription) : unknown;
      if (connection && denial !== undefined) {
        log(`${connection.clientId}: subscription refused, ${denial}`);
        done(null, null);
      } else if (connection && !violation && !quotas.admits('iotSubscriptions')) {
        log(`${connection.clientId}: subscription refused, throttled`);
        done(null, null);
      } else if (violation) {
        if (connection) logViolation(connection, violation);
        done(violation);
      } else {
        connection?.filters.set(subscription.topic, subscription.qos);
        connection?.awaitingRetained.add(subscription.topic);
        done(null, subscription);
      }
    },

    /** A message that the client may not receive is dropped silently. */
    authorizeForward(client, packet) {
      const connection = connections.of.get(client);
      if (connection && !packet.retain) sendRetainedFirst(connection, packet);
      if (!connection || !mayReceive(connection, packet) || !isAdmitted(connection)) return null;
      meter.charge(CLIENTS, deliveryCharges(packet.topic, packet.payload));
      return packet;
    },
  };
}

/** Whether the quotas admit one more retained message of a topic. */
export function admitsRetained(quotas: Pick<Quotas, 'admits'>, topic: string): boolean {
  return quotas.admits('iotRetainedPublishesOfTopic', topic) && quotas.admits('iotRetainedPublishes');
}

/** Topic of discarded messages, without subscribers. */
export const DISCARD_TOPIC = '$discarded';

/** Discards a message: not delivered, not acknowledged, and the connection stays open. */
function discard(packet: PublishPacket): void {
  Object.assign(packet, { topic: DISCARD_TOPIC, qos: 0, retain: false, payload: '' });
}

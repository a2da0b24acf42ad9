/**
 * What a connected client may do: AWS IoT Core developer guide, "AWS IoT Core policy actions", "Reserved topics" and
 * "AWS IoT differences from MQTT specifications", and AWS IoT Core quotas, "Message broker".
 */
import type { AedesOptions, AedesPublishPacket, PublishPacket, Subscription } from 'aedes';
import type { Arns } from './arns';
import type { Quotas } from '../quotas';
import type { Connection, Connections } from './connection';
import { deliver } from './deliver';
import type { DisconnectReason } from './lifecycle';
import type { RetainedMessages } from './retained';
import { isBadTopic, isReserved, isTooLarge, topicMatches } from './topic';

/** Largest payload of a message. */
export const MAX_PAYLOAD_BYTES = 128 * 1024;

export interface RightsOptions {
  readonly connections: Connections;
  readonly retained: RetainedMessages;
  readonly arns: Arns;
  readonly subscriptionsPerConnection: number;
  readonly quotas: Pick<Quotas, 'admits'>;
  log(line: string): void;
}

type Rights = Pick<Required<AedesOptions>, 'authorizePublish' | 'authorizeSubscribe' | 'authorizeForward'>;

/** A reason to end the connection. */
class Fault extends Error {
  constructor(
    readonly reason: DisconnectReason,
    message: string,
  ) {
    super(message);
  }
}

/** aedes' hooks for publishing, subscribing and receiving. An error that is passed on ends the connection. */
export function createRights(options: RightsOptions): Rights {
  const { connections, retained, arns, subscriptionsPerConnection, quotas, log } = options;
  const unknown = new Fault('CLIENT_ERROR', 'not connected');

  function faultOfPublish(connection: Connection, packet: PublishPacket): Fault | undefined {
    const { topic, payload, qos, retain } = packet;
    if (connection.willPrevented === true) return new Fault('API_INITIATED_DISCONNECT', 'no last will is wanted');
    if (isBadTopic(topic)) return new Fault('CLIENT_ERROR', 'no topic for clients');
    if (qos === 2) return new Fault('CLIENT_ERROR', 'QoS 2');
    if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) return new Fault('CLIENT_ERROR', 'payload too large');
    const actions = retain ? ['iot:Publish', 'iot:RetainPublish'] : ['iot:Publish'];
    const missing = actions.find((action) => !connection.permits(action, arns.topic(topic)));
    return missing === undefined ? undefined : new Fault('AUTH_ERROR', `${missing} is not allowed`);
  }

  function faultOfSubscription({ filters }: Connection, { topic, qos }: Subscription): Fault | undefined {
    if (qos === 2) return new Fault('CLIENT_ERROR', 'QoS 2');
    if (filters.has(topic) || filters.size < subscriptionsPerConnection) return undefined;
    return new Fault('CLIENT_ERROR', `more than ${subscriptionsPerConnection} subscriptions of one connection`);
  }

  function refusalOfFilter(connection: Connection, filter: string): string | undefined {
    if (isTooLarge(filter)) return 'filter too long or too deep';
    // For policies a shared subscription is a filter like any other: topicfilter/$share/<group>/<filter>.
    if (!connection.permits('iot:Subscribe', arns.topicfilter(filter))) return 'iot:Subscribe is not allowed';
    if (filter.startsWith('$share/')) return 'shared subscriptions are not played on this machine';
    return isReserved(filter) ? 'reserved topic' : undefined;
  }

  function mayReceive(connection: Connection, { topic, payload, retain }: AedesPublishPacket): boolean {
    // One that was replaced since it was read, or sent already, would arrive after newer ones.
    if (retain && (retained.get(topic)?.payload !== payload || !connection.awaitingRetained.delete(topic)))
      return false;
    const { filters } = connection;
    if (!filters.has(topic) && ![...filters].some((filter) => topicMatches(filter, topic))) return false;
    return connection.permits('iot:Receive', arns.topic(topic));
  }

  /**
   * aedes reads the retained message some turns after a subscription has begun; what is published meanwhile would arrive
   * before it. So that the older one comes first, it is sent as soon as there is a newer one.
   */
  function sendRetainedFirst({ client, awaitingRetained }: Connection, live: AedesPublishPacket): void {
    if (!awaitingRetained.has(live.topic)) return;
    const message = retained.get(live.topic);
    const isLive = message?.payload.equals(Buffer.from(live.payload)) === true;
    if (message && !isLive) deliver(client, message);
    awaitingRetained.delete(live.topic);
  }

  function isThrottled({ sessionIdentifier }: Connection, { topic, retain }: PublishPacket): boolean {
    if (!quotas.admits('iotPublishesOfConnection', sessionIdentifier)) return true;
    return !quotas.admits('iotInboundPublishes') || (retain && !admitsRetained(quotas, topic));
  }

  function isForwarded({ sessionIdentifier }: Connection): boolean {
    return quotas.admits('iotPublishesOfConnection', sessionIdentifier) && quotas.admits('iotOutboundPublishes');
  }

  function note(connection: Connection, { reason, message }: Fault): void {
    connection.endReason ??= reason;
    log(`${connection.clientId}: ${message}`);
  }

  return {
    /** An unauthorised publish ends the connection. A last will comes here too, when the connection is over. */
    authorizePublish(client, packet, done) {
      const connection = client ? connections.of.get(client) : undefined;
      const fault = connection ? faultOfPublish(connection, packet) : unknown;
      if (connection && fault) note(connection, fault);
      else if (connection && isThrottled(connection, packet)) discard(packet);
      done(fault);
    },

    /** A refused filter gets return code 0x80 in SUBACK. */
    authorizeSubscribe(client, subscription, done) {
      const connection = connections.of.get(client);
      const refusal = connection && refusalOfFilter(connection, subscription.topic);
      const fault = connection ? faultOfSubscription(connection, subscription) : unknown;
      if (connection && refusal !== undefined) {
        log(`${connection.clientId}: a subscription is refused, ${refusal}`);
        done(null, null);
      } else if (connection && !fault && !quotas.admits('iotSubscriptions')) {
        log(`${connection.clientId}: a subscription is refused, throttled`);
        done(null, null);
      } else if (fault) {
        if (connection) note(connection, fault);
        done(fault);
      } else {
        connection?.filters.add(subscription.topic);
        connection?.awaitingRetained.add(subscription.topic);
        done(null, subscription);
      }
    },

    /** What a client may not receive is not delivered, without a word. */
    authorizeForward(client, packet) {
      const connection = connections.of.get(client);
      if (connection && !packet.retain) sendRetainedFirst(connection, packet);
      return connection && mayReceive(connection, packet) && isForwarded(connection) ? packet : null;
    },
  };
}

/** Whether one more retained message of a topic may be published now. */
export function admitsRetained(quotas: Pick<Quotas, 'admits'>, topic: string): boolean {
  return quotas.admits('iotRetainedPublishesOfTopic', topic) && quotas.admits('iotRetainedPublishes');
}

/** Where messages go that nobody gets. */
export const NOWHERE = '$discarded';

/** A throttled message reaches nobody and is not acknowledged, and the connection stays. */
function discard(packet: PublishPacket): void {
  Object.assign(packet, { topic: NOWHERE, qos: 0, retain: false, payload: '' });
}

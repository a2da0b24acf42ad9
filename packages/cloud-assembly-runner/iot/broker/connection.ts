/** A client's connection, and the events that tell of it: AWS IoT Core developer guide, "Lifecycle events". */
import * as z from 'zod';
import type { Client } from 'aedes';
import type { Permits } from '../authorization';

/** AWS's names for why a connection ended. */
export type DisconnectReason =
  | 'API_INITIATED_DISCONNECT'
  | 'AUTH_ERROR'
  | 'CLIENT_ERROR'
  | 'CLIENT_INITIATED_DISCONNECT'
  | 'CONNECTION_LOST'
  | 'CUSTOMAUTH_TTL_EXPIRATION'
  | 'DUPLICATE_CLIENTID'
  | 'MQTT_KEEP_ALIVE_TIMEOUT'
  | 'SERVER_INITIATED_DISCONNECT';

/** The connection that an event is about. */
export const subject = z.object({
  clientId: z.string(),
  sessionIdentifier: z.string(),
  principalId: z.string(),
  ipAddress: z.string(),
  versionNumber: z.number(),
});
export type Subject = Readonly<z.output<typeof subject>>;

export interface LifecycleEvent {
  readonly topic: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export function connected(subject: Subject): LifecycleEvent {
  const { ipAddress, versionNumber } = subject;
  return event('presence', 'connected', subject, { ipAddress, versionNumber });
}

export function disconnected(subject: Subject, disconnectReason: DisconnectReason): LifecycleEvent {
  const clientInitiatedDisconnect = disconnectReason === 'CLIENT_INITIATED_DISCONNECT';
  const { versionNumber } = subject;
  return event('presence', 'disconnected', subject, { clientInitiatedDisconnect, disconnectReason, versionNumber });
}

export function subscribed(subject: Subject, topics: readonly string[]): LifecycleEvent {
  return event('subscriptions', 'subscribed', subject, { topics });
}

export function unsubscribed(subject: Subject, topics: readonly string[]): LifecycleEvent {
  return event('subscriptions', 'unsubscribed', subject, { topics });
}

function event(
  kind: 'presence' | 'subscriptions',
  eventType: string,
  { clientId, sessionIdentifier, principalId }: Subject,
  more: object,
): LifecycleEvent {
  return {
    topic: `$aws/events/${kind}/${eventType}/${clientId}`,
    payload: {
      clientId,
      timestamp: Date.now(),
      eventType,
      sessionIdentifier,
      principalIdentifier: principalId,
      ...more,
    },
  };
}

/** A client that the authorizer has admitted. */
export interface Connection extends Subject {
  readonly client: Client;
  readonly persistent: boolean;
  /** QoS of its subscriptions by filter. */
  readonly filters: Map<string, number>;
  /** Subscribed topics whose retained message has not been sent yet. */
  readonly awaitingRetained: Set<string>;
  permits: Permits;
  /** Reason once the broker closes it. */
  endReason?: DisconnectReason;
  /** True when its last will must not be published. */
  willPrevented?: boolean;
  /** Starts the refresh and disconnect timers of the authorizer's response. @returns function that stops them */
  startTimers(): () => void;
}

/** Connections by aedes client and by client id. */
export interface Connections {
  readonly of: WeakMap<Client, Connection>;
  /** Registered connections, at most one per client id. */
  readonly byClientId: Map<string, Connection>;
}

/** Closes a connection; the first reason is kept. */
export function end(connection: Connection, reason: DisconnectReason): Promise<void> {
  connection.endReason ??= reason;
  return new Promise((resolve) => connection.client.close(resolve));
}

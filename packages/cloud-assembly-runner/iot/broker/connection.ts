import type { Client } from 'aedes';
import type { DisconnectReason, Subject } from './lifecycle';
import type { Permits } from '../authorization/policy';

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

import type { Client } from 'aedes';
import type { DisconnectReason, Subject } from './lifecycle';
import type { Permits } from './policy';

/** An admitted client, from the moment when its authorizer let it in. */
export interface Connection extends Subject {
  readonly client: Client;
  readonly persistent: boolean;
  /** Filters that it is subscribed to. */
  readonly filters: Set<string>;
  /** Those of a SUBSCRIBE whose retained message it has not been sent yet. */
  readonly awaitingRetained: Set<string>;
  permits: Permits;
  /** Why the broker ends it, once it does. */
  endReason?: DisconnectReason;
  /** Its last will is not to be published. */
  willPrevented?: boolean;
  /** Starts the clocks of its authorizer's answer; what comes back stops them. */
  startClocks(): () => void;
}

/** The connections that aedes' clients stand for. */
export interface Connections {
  readonly of: WeakMap<Client, Connection>;
  /** Those that are registered, at most one of a client id. */
  readonly byClientId: Map<string, Connection>;
}

/** Closes a connection; the first reason holds. */
export function end(connection: Connection, reason: DisconnectReason): Promise<void> {
  connection.endReason ??= reason;
  return new Promise((resolve) => connection.client.close(resolve));
}

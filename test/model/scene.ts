import type { Facts } from '../api/stack/facts';
import { Caller } from './caller';
import type { Organisation } from './cast';
import { MqttConnection } from './connect';
import type { CountedCall } from './creation-model';
import type { Connections } from './perform-channels';
import { Publishers } from './telemetry-socket';

/** What chapters share: clients with their tokens and connections, which live no longer than a token. */
export interface Scene {
  readonly facts: Facts;
  readonly organisations: readonly Organisation[];
  /** Clients by organisation. */
  readonly callers: readonly (readonly Caller[])[];
  readonly connections: Connections;
  readonly publishers: Publishers;
  /** Calls of limited endpoints so far. */
  readonly counted: CountedCall[];
  /** Ends all connections. */
  close(): Promise<void>;
}

/**
 * Gets tokens, and connects every client over MQTTS, one after the other.
 * @param counted calls of limited endpoints before
 * @throws Error when one is refused
 */
export async function setScene(
  facts: Facts,
  organisations: readonly Organisation[],
  counted: CountedCall[],
): Promise<Scene> {
  const callers = await Promise.all(
    organisations.map((each) => Promise.all(each.partners.map((_, index) => Caller.of(facts, each, index)))),
  );
  const connections = new Map<string, MqttConnection>();
  for (const caller of callers.flat()) connections.set(caller.name, await MqttConnection.of(facts, caller, 'model'));
  const publishers = new Publishers();
  const close = async () => {
    await publishers.close();
    for (const connection of connections.values()) await connection.close();
    for (const caller of callers.flat()) await caller.close();
  };
  return { facts, organisations, callers, connections, publishers, counted, close };
}

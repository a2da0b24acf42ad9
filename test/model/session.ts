import type { Facts } from '../api/stack/facts';
import { Caller } from './caller';
import type { Docks, Organisation } from './organisations';
import { MqttConnection } from './connections';
import type { CountedCall } from './rate-limit-violations';
import type { Connections } from './channel-operations';
import { Publishers } from './telemetry-socket';

/** The docks with their clients. What has happened there is of all batches, since a claim may outlive one. */
export interface OpenDocks extends Docks {
  readonly callers: readonly Caller[];
}

/** Clients with their tokens and connections, shared by batches until their tokens expire. */
export interface Session {
  readonly facts: Facts;
  readonly organisations: readonly Organisation[];
  /** Clients by organisation. */
  readonly callers: readonly (readonly Caller[])[];
  readonly docks: OpenDocks;
  readonly connections: Connections;
  readonly publishers: Publishers;
  /** Calls of rate-limited endpoints so far. */
  readonly counted: CountedCall[];
  /** Closes all connections. */
  close(): Promise<void>;
}

/**
 * Gets tokens, and connects every client over MQTTS, one after the other.
 * @param counted earlier calls of rate-limited endpoints
 * @throws Error when a connection is refused
 */
export async function openSession(
  facts: Facts,
  organisations: readonly Organisation[],
  docks: Docks,
  counted: CountedCall[],
): Promise<Session> {
  const callers = await Promise.all(
    organisations.map((each) => Promise.all(each.partners.map((_, index) => Caller.of(facts, each, index)))),
  );
  const { organisation } = docks;
  const dispatchers = await Promise.all(organisation.partners.map((_, index) => Caller.of(facts, organisation, index)));
  const connections = new Map<string, MqttConnection>();
  for (const caller of callers.flat()) connections.set(caller.name, await MqttConnection.of(facts, caller, 'model'));
  const publishers = new Publishers();
  const close = async () => {
    await publishers.close();
    for (const connection of connections.values()) await connection.close();
    for (const caller of [...callers.flat(), ...dispatchers]) await caller.close();
  };
  return {
    facts,
    organisations,
    callers,
    docks: { ...docks, callers: dispatchers },
    connections,
    publishers,
    counted,
    close,
  };
}

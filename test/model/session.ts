import type { Facts } from '../api/stack/facts';
import { Caller } from './caller';
import { flyInAir, type Air, type AirPlatform } from './air';
import type { Docks, Organisation } from './organisations';
import { MqttConnection } from './connections';
import type { CountedCall } from './rate-limit-violations';
import type { Connections } from './channel-operations';
import { Publishers } from './telemetry-socket';

/** The docks with their clients. What has happened there is of all batches, since a claim may outlive one. */
export interface OpenDocks extends Docks {
  readonly callers: readonly Caller[];
}

/** The devices in flight with their clients, and their platform. */
export interface OpenAir extends Air {
  readonly callers: readonly Caller[];
  readonly platform: AirPlatform;
}

/** Clients with their tokens and connections, shared by batches until their tokens expire. */
export interface Session {
  readonly facts: Facts;
  readonly organisations: readonly Organisation[];
  /** Clients by organisation. */
  readonly callers: readonly (readonly Caller[])[];
  readonly docks: OpenDocks;
  readonly air: OpenAir;
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
  air: Air,
  counted: CountedCall[],
): Promise<Session> {
  const callersOf = (of: Organisation) => Promise.all(of.partners.map((_, index) => Caller.of(facts, of, index)));
  const callers = await Promise.all(organisations.map(callersOf));
  const [dispatchers, pilots] = [await callersOf(docks.organisation), await callersOf(air.organisation)];
  const platform = await flyInAir(air);
  const connections = new Map<string, MqttConnection>();
  for (const caller of callers.flat()) connections.set(caller.name, await MqttConnection.of(facts, caller, 'model'));
  const publishers = new Publishers();
  const close = async () => {
    await publishers.close();
    await platform.close();
    for (const connection of connections.values()) await connection.close();
    for (const caller of [...callers.flat(), ...dispatchers, ...pilots]) await caller.close();
  };
  return {
    facts,
    organisations,
    callers,
    docks: { ...docks, callers: dispatchers },
    // The very same, since reading the feed goes on in the next session.
    air: Object.assign(air, { callers: pilots, platform }),
    connections,
    publishers,
    counted,
    close,
  };
}

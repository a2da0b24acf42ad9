import { setTimeout as pause } from 'node:timers/promises';
import { channelOf, channels } from '../../contract/status-channels';
import type { Scope } from '../../contract/endpoint';
import { notForViewers } from '../../contract/forbidden';
import { findConnection, followedResource, type Connection } from '../../data/connections/connections';
import { findSession, sessionItem, type PartnerSession } from '../../data/connections/sessions';
import { telemetryScopes } from './telemetry-scopes';

/** An open socket of a partner, for a status channel or for telemetry. */
export interface PartnerSocket {
  /** The item that says how long it lasts. */
  readonly item: Connection;
  /** A token needs one of these scopes. */
  readonly scopes: readonly Scope[];
  /** Telemetry sockets only. */
  readonly session?: PartnerSession;
}

/**
 * Waits between attempts, in ms: the index by socket, in which a follower of a status channel is found, may lack one that
 * was stored a moment ago. A closed socket sends no message, so its absence means little else.
 */
const INDEX_RETRY_DELAYS_MS = [50, 100, 200, 400, 800];

async function findFollower(connectionId: string): Promise<Connection | undefined> {
  for (const wait of INDEX_RETRY_DELAYS_MS) {
    const [found] = await findConnection(connectionId);
    if (found) return found;
    await pause(wait);
  }
  return (await findConnection(connectionId))[0];
}

/**
 * The socket of a partner as it is now, without a cache.
 * @returns undefined for one that is closed
 * @throws Refusal `forbidden` for a viewer's
 */
export async function findPartnerSocket(connectionId: string): Promise<PartnerSocket | undefined> {
  const session = await findSession(connectionId);
  if (session?.kind === 'viewer') throw notForViewers();
  if (session) return { item: sessionItem(session), scopes: telemetryScopes, session };
  const item = await findFollower(connectionId);
  const resource = item && !item.session ? followedResource(item) : undefined;
  const channel = resource && channelOf(resource);
  return item && channel && { item, scopes: [channels[channel.kind].scope] };
}

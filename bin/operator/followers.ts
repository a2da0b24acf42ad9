import { findFollowers, findTelemetryFollowers, type Follower } from '../../data/channels/followers';
import { readTopics } from '../../data/channels/subscriptions';
import { listOrganisations } from '../../data/access/organisations';
import type { Channel } from '../../contract/channels/status-channels';
import { topicName } from '../../contract/terms/channel-addresses';
import type { Organisation } from '../../domain/values/id';

/** How many follow, by client; viewers of shares count together. */
export interface Followers {
  readonly sockets: Readonly<Record<string, number>>;
  readonly mqttSubscriptions: Readonly<Record<string, number>>;
}

/** In place of a client for viewers with a share link. */
const VIEWERS = 'viewers';

/**
 * Those who follow a channel by sockets and by MQTT.
 * @param telemetryOf a device or a group whose samples count too
 */
export async function readFollowers(
  organisation: Organisation,
  channel: Channel,
  ...telemetryOf: readonly string[]
): Promise<Followers> {
  const sockets: Record<string, number> = {};
  for (const pages of [findFollowers(channel), ...telemetryOf.map(findTelemetryFollowers)])
    for await (const page of pages) for (const follower of page) count(sockets, nameOf(follower));
  return { sockets, mqttSubscriptions: await readSubscriptions(organisation, topicName(channel)) };
}

const nameOf = ({ clientId }: Follower) => clientId ?? VIEWERS;

async function readSubscriptions(organisation: Organisation, topic: string): Promise<Record<string, number>> {
  const { partners } = await listOrganisations();
  const found: Record<string, number> = {};
  for (const { clientId } of partners.filter((partner) => partner.organisation === organisation))
    for (const each of await readTopics(clientId, Date.now())) if (each === topic) count(found, clientId);
  return found;
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

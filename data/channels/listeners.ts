/**
 * Until when clients of an organisation may be connected, over MQTT or to a status channel over WebSocket. While nobody
 * is, its commands are not published, and no followers are searched for them. It is noted before a connection is
 * accepted, and read after an event is in the log: whoever is not noted by then connects later, and misses nothing.
 */
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { LONGEST_CONNECTION_S } from '../../domain/channels/longest-connection';
import { followedUntil, type FollowedUntil } from '../../domain/telemetry/followed-until';
import type { Organisation } from '../../domain/values/id';
import { succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';
import { update } from '../store/expression';
import { untilAttributes, type Medium } from './followed-channels';

/** Key of the item of an organisation, in the table of connections. */
export const listenersKey = (organisation: Organisation) => ({
  channel: `listeners#${organisation}`,
  connectionId: '-',
});

const itemOf = (organisation: Organisation) => ({ TableName: table('connections'), Key: listenersKey(organisation) });

/** Ends are rounded up to a multiple of this, in seconds: whoever connects within it writes nothing. */
const STEP_S = 1800;
/**
 * How long a note is kept that nobody renews, in seconds. Without one, the organisation counts as connected for two
 * hours again.
 */
const KEPT_S = 90 * 86_400;

/** What this instance has noted: until when, by organisation and medium. */
const noted = new Map<string, number>();
const MAX_NOTED = 10_000;

/**
 * Notes that a client of an organisation is connected until this time at the latest; a later end stays.
 * @param until Unix seconds
 * @throws the SDK's error: then the connection must not be accepted
 */
export async function noteListener(organisation: Organisation, medium: Medium, until: number): Promise<void> {
  const key = `${organisation} ${medium}`;
  if ((noted.get(key) ?? 0) >= until) return;
  const end = Math.ceil(until / STEP_S) * STEP_S;
  const attribute = untilAttributes[medium];
  await succeeded(
    dynamodb.send(
      new UpdateCommand({
        ...itemOf(organisation),
        ...update({
          set: { [attribute]: end, ttl: end + KEPT_S },
          condition: `attribute_not_exists(${attribute}) OR ${attribute} < :${attribute}`,
        }),
      }),
    ),
  );
  if (noted.size >= MAX_NOTED) noted.clear();
  noted.set(key, end);
}

/**
 * Until when clients of an organisation may be connected, strongly consistent. Where nothing is noted, they may have
 * connected before this was noted at all: they count as connected for as long as a connection lasts, which is noted.
 */
export async function readListeners(organisation: Organisation, now: Date): Promise<Required<FollowedUntil>> {
  const { Item } = await dynamodb.send(new GetCommand({ ...itemOf(organisation), ConsistentRead: true }));
  const { socketsUntil, topicUntil } = followedUntil.parse(Item ?? {});
  if (socketsUntil !== undefined && topicUntil !== undefined) return { socketsUntil, topicUntil };
  const until = Math.ceil(now.getTime() / 1000) + LONGEST_CONNECTION_S;
  await dynamodb.send(
    new UpdateCommand({
      ...itemOf(organisation),
      ...update({ set: { ttl: until + KEPT_S }, setOnce: { socketsUntil: until, topicUntil: until } }),
    }),
  );
  return { socketsUntil: socketsUntil ?? until, topicUntil: topicUntil ?? until };
}

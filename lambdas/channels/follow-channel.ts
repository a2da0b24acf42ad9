import { channelKey } from '../../data/store/channel-key';
import { toChannel, MAX_CONNECTIONS, type Channel } from '../../contract/channels/status-channels';
import { addConnection, removeConnection } from '../../data/channels/connections';
import { noteFollowed } from '../../data/channels/followed-channels';
import { noteListener } from '../../data/channels/listeners';
import { requestSnapshot } from '../../data/channels/request-snapshot';
import { findCursor } from '../../data/events/log-end';
import { hasEventAfter } from '../../data/events/missed-events';
import { Refusal } from '../../domain/values/refusal';
import { LONGEST_CONNECTION_S } from '../../domain/channels/longest-connection';
import { kinds, organisationOf, type Organisation } from '../../domain/values/id';
import type { CallerIdentity } from '../access/identify';
import { authoriseChannel } from './authorise-channel';
import type { ConnectEvent } from './handshake';

/** The channel that the CloudFront function took from the path. @throws Refusal `resource_not_found` for another path */
function channelIn({ queryStringParameters }: ConnectEvent): Channel {
  const kind = kinds.find((each) => each === queryStringParameters?.['channel']);
  const id = queryStringParameters?.['id'];
  const channel = kind && id ? toChannel({ kind, id }) : undefined;
  if (!channel) throw new Refusal('resource_not_found');
  return channel;
}

/**
 * The number of the last event that a client knows which resumes.
 * @throws Refusal `invalid_request` for another cursor than its own
 */
async function resumesAfter({ queryStringParameters }: ConnectEvent, { organisation }: CallerIdentity) {
  const cursor = queryStringParameters?.['after'];
  return cursor === undefined ? undefined : findCursor(organisation, cursor);
}

/**
 * {@link authoriseChannel}; but a client that resumes is let in when the resource has been deleted since, for the last messages.
 * @throws Refusal
 */
async function authorise(identity: CallerIdentity, channel: Channel, after: number | undefined, now: Date) {
  try {
    return await authoriseChannel(identity, channel, now.toISOString());
  } catch (error) {
    const isGone = error instanceof Refusal && ['job_not_found', 'share_not_found'].includes(error.code);
    const isOwn = organisationOf(channel.kind, channel.id) === identity.organisation;
    if (isGone && isOwn && after !== undefined && (await hasEventAfter(identity.organisation, channel, after, now)))
      return undefined;
    throw error;
  }
}

/**
 * Notes that the positions and commands on a channel are followed, as long as a new token can make the connection last;
 * a share has none.
 * @param openedAt Unix seconds
 * @returns whether those who deliver positions may not have noticed yet
 */
async function noteFollower({ kind, id }: Channel, organisation: Organisation, openedAt: number): Promise<boolean> {
  if (kind === 'share') return false;
  const until = openedAt + LONGEST_CONNECTION_S;
  const [isFirst] = await Promise.all([
    noteFollowed({ kind, id }, 'sockets', until),
    noteListener(organisation, 'sockets', until),
  ]);
  return isFirst;
}

/** Connects a partner to a status channel: authorise, take a seat, request the snapshot or the replay. @throws Refusal */
export async function followChannel(event: ConnectEvent, identity: CallerIdentity, now: Date): Promise<void> {
  const { clientId, expiresAt } = identity;
  const channel = channelIn(event);
  const after = await resumesAfter(event, identity);
  const end = await authorise(identity, channel, after, now);
  const seconds = Math.floor(now.getTime() / 1000);
  const connection = {
    channel: channelKey(channel),
    connectionId: event.requestContext.connectionId,
    clientId,
    openedAt: seconds,
    expiresAt: Math.min(expiresAt, seconds + LONGEST_CONNECTION_S),
  };
  await addConnection(connection, MAX_CONNECTIONS, seconds);
  try {
    const isUnnoticed = await noteFollower(channel, identity.organisation, seconds);
    await requestSnapshot({ kind: 'channel', connection, end, after, isUnnoticed });
  } catch (error) {
    // API Gateway sends no $disconnect for a failed handshake, so nothing else would remove it.
    await removeConnection(connection);
    throw error;
  }
}

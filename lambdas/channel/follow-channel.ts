import { channelOf, MAX_CONNECTIONS, type Channel } from '../../contract/channels';
import { addConnection, channelKey, removeConnection } from '../../data/connections/connections';
import { requestSnapshot } from '../../data/connections/request-snapshot';
import { Refusal } from '../../domain/refusal';
import { LONGEST_CONNECTION_S } from '../../domain/connection';
import { kinds } from '../../domain/id';
import type { Identity } from '../auth/identify';
import { authoriseChannel } from './channel-state';
import type { ConnectEvent } from './connect-event';

/** The channel that the CloudFront function took from the path. @throws Refusal `resource_not_found` for another path */
function channelIn({ queryStringParameters }: ConnectEvent): Channel {
  const kind = kinds.find((each) => each === queryStringParameters?.['channel']);
  const id = queryStringParameters?.['id'];
  const channel = kind && id ? channelOf({ kind, id }) : undefined;
  if (!channel) throw new Refusal('resource_not_found');
  return channel;
}

/** Connects a partner to a status channel: authorise, take a seat, request the snapshot. @throws Refusal */
export async function followChannel(event: ConnectEvent, identity: Identity, now: Date): Promise<void> {
  const { clientId, expiresAt } = identity;
  const channel = channelIn(event);
  const end = await authoriseChannel(identity, channel, now.toISOString());
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
    await requestSnapshot({ kind: 'channel', connection, end });
  } catch (error) {
    // API Gateway sends no $disconnect for a failed handshake, so nothing else would remove it.
    await removeConnection(connection);
    throw error;
  }
}

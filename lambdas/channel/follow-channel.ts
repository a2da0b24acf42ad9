import { channels, MAX_CONNECTIONS } from '../../contract/channels';
import { addConnection, channelKey, forgetConnection } from '../../data/connections/connections';
import { greetLater } from '../../data/connections/greetings';
import { Refusal } from '../../domain/refusal';
import { channelKinds, type Channel } from '../../domain/status-event';
import { expectChannel } from './expect-channel';
import type { Identity } from '../auth/identify';
import { LONGEST_CONNECTION_S, type ConnectEvent } from './connect-event';

/** The channel that CloudFront's function took from the path; a path that is none of ours is not there. */
function channelIn({ queryStringParameters }: ConnectEvent): Channel {
  const kind = channelKinds.find((each) => each === queryStringParameters?.['channel']);
  const id = queryStringParameters?.['id'];
  if (!kind || !id) throw new Refusal('resource_not_found');
  return { kind, id };
}

/** A partner follows a status channel: may they, is it there, is there room. Its state comes first. @throws Refusal */
export async function followChannel(event: ConnectEvent, identity: Identity, now: Date): Promise<void> {
  const { clientId, organisation, scopes, expiresAt } = identity;
  const channel = channelIn(event);
  if (!scopes.includes(channels[channel.kind].scope)) throw new Refusal('forbidden');
  const end = await expectChannel(organisation, channel, now.toISOString());
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
    await greetLater({ kind: 'channel', connection, end });
  } catch (error) {
    // A handshake that fails is followed by no end, so nothing else would forget it.
    await forgetConnection(connection);
    throw error;
  }
}

import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { channels, MAX_CONNECTIONS } from '../../contract/channels';
import { addConnection, channelKey } from '../../data/connections';
import { Refusal } from '../../domain/refusal';
import { channelKinds, type Channel } from '../../domain/status-event';
import { expectChannel } from '../expect-channel';
import { identify } from '../identify';
import { handshake } from './handshake';

/** API Gateway ends a connection after two hours, in seconds. */
const LONGEST = 2 * 60 * 60;

/** The parts of a `$connect` event that the types leave out. */
type ConnectEvent = APIGatewayProxyWebsocketEventV2 & {
  headers?: Record<string, string | undefined>;
  queryStringParameters?: Record<string, string | undefined> | null;
};

/** The token of `Authorization: Bearer`, or of `?token=` for clients that can't set headers. */
function tokenOf({ headers = {}, queryStringParameters }: ConnectEvent): string {
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'authorization');
  const [, bearer] = /^bearer +(\S+)$/i.exec((name && headers[name]) ?? '') ?? [];
  const token = bearer ?? queryStringParameters?.['token'];
  if (!token) throw new Refusal('unauthorized');
  return token;
}

/** The channel that CloudFront's function took from the path; a path that is none of ours is not there. */
function channelIn({ queryStringParameters }: ConnectEvent): Channel {
  const kind = channelKinds.find((each) => each === queryStringParameters?.['channel']);
  const id = queryStringParameters?.['id'];
  if (!kind || !id) throw new Refusal('resource_not_found');
  return { kind, id };
}

/** `$connect` of a status channel: who, may they, is it there, is there room. */
export const handler = handshake(async (event: ConnectEvent, now) => {
  const { clientId, organisation, scopes, expiresAt } = await identify(tokenOf(event));
  const channel = channelIn(event);
  if (!scopes.includes(channels[channel.kind].scope)) throw new Refusal('forbidden');
  await expectChannel(organisation, channel, now.toISOString());
  const seconds = Math.floor(now.getTime() / 1000);
  const connection = {
    channel: channelKey(channel),
    connectionId: event.requestContext.connectionId,
    clientId,
    expiresAt: Math.min(expiresAt, seconds + LONGEST),
  };
  await addConnection(connection, MAX_CONNECTIONS, seconds);
});

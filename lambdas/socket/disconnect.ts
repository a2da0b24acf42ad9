import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { removeConnectionById } from '../../data/connections/connections';
import { endMqttConnection } from '../../data/connections/mqtt-topics';
import { viewerClientId } from '../delivery/broadcast';

/** `$disconnect` is best effort; the heartbeat and the next delivery remove what it misses. */
export async function handler({ requestContext }: APIGatewayProxyWebsocketEventV2): Promise<{ statusCode: number }> {
  const { connectionId } = requestContext;
  const items = await removeConnectionById(connectionId);
  // A viewer without a seat gets no samples either.
  if (items.some(({ broadcast }) => broadcast !== undefined)) await endMqttConnection(viewerClientId(connectionId));
  return { statusCode: 200 };
}

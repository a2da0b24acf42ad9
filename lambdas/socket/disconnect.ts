import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { removeConnectionById } from '../../data/connections/connections';

/** `$disconnect` is best effort; the heartbeat and the next delivery remove what it misses. */
export async function handler({ requestContext }: APIGatewayProxyWebsocketEventV2): Promise<{ statusCode: number }> {
  await removeConnectionById(requestContext.connectionId);
  return { statusCode: 200 };
}

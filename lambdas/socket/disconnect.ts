import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { forgetConnectionById } from '../../data/connections/connections';

/** `$disconnect`: best effort of API Gateway; what it misses, the heartbeat and the next delivery find. */
export async function handler({ requestContext }: APIGatewayProxyWebsocketEventV2): Promise<{ statusCode: number }> {
  await forgetConnectionById(requestContext.connectionId);
  return { statusCode: 200 };
}

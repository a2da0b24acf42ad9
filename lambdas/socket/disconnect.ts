import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { findConnection, forgetConnection } from '../../data/connections';

/** `$disconnect`: best effort of API Gateway; what it misses, the heartbeat and the next delivery find. */
export async function handler({ requestContext }: APIGatewayProxyWebsocketEventV2): Promise<{ statusCode: number }> {
  const gone = await findConnection(requestContext.connectionId);
  await Promise.all(gone.map(forgetConnection));
  return { statusCode: 200 };
}

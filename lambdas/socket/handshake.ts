import type { APIGatewayProxyStructuredResultV2, APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { resourceRefusal } from '../../contract/refusals';
import { Refusal } from '../../domain/refusal';
import { logger } from '../logger';

/**
 * Makes a `$connect` function: a refusal becomes the HTTP status of the handshake, anything else a 500,
 * and each handshake is logged once, without its query, which may hold a token.
 */
export const handshake =
  <Event extends APIGatewayProxyWebsocketEventV2>(accept: (event: Event, now: Date) => Promise<void>) =>
  async (event: Event): Promise<APIGatewayProxyStructuredResultV2> => {
    const { connectionId, requestId } = event.requestContext;
    const line = { connectionId, requestId };
    try {
      await accept(event, new Date());
      logger.info('handshake', { ...line, status: 200 });
      return { statusCode: 200 };
    } catch (error) {
      if (error instanceof Refusal) {
        const { status, body } = resourceRefusal(error);
        logger.info('handshake', { ...line, status });
        return { statusCode: status, body: JSON.stringify(body) };
      }
      logger.error('handshake', { ...line, status: 500, error });
      return { statusCode: 500 };
    }
  };

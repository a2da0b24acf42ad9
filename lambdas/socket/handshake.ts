import type { APIGatewayProxyStructuredResultV2, APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { resourceRefusal } from '../../contract/refusals';
import { Refusal, type RefusalCode } from '../../domain/refusal';
import { logger } from '../logger';

/**
 * Makes a `$connect` function: a refusal becomes the HTTP status of the handshake, anything else a 500,
 * and each handshake is logged once, without its query, which may hold a token or a share code.
 * @param accept gives the reason for who is let in only to be told why not
 */
export const handshake =
  <Event extends APIGatewayProxyWebsocketEventV2>(
    accept: (event: Event, now: Date) => Promise<RefusalCode | undefined>,
  ) =>
  async (event: Event): Promise<APIGatewayProxyStructuredResultV2> => {
    const { connectionId, requestId } = event.requestContext;
    const line = { connectionId, requestId };
    try {
      const reason = await accept(event, new Date());
      logger.info('handshake', { ...line, status: 200, ...(reason && { reason }) });
      return { statusCode: 200 };
    } catch (error) {
      if (error instanceof Refusal) {
        const { status, body } = resourceRefusal(error);
        logger.info('handshake', { ...line, status, reason: error.code });
        return { statusCode: status, body: JSON.stringify(body) };
      }
      logger.error('handshake', { ...line, status: 500, error });
      return { statusCode: 500 };
    }
  };

import type { APIGatewayProxyStructuredResultV2, APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { resourceRefusal } from '../../contract/refusals';
import { Refusal, type RefusalCode } from '../../domain/refusal';
import { logger } from '../logger';

/** A handshake that is completed. */
export interface Accepted {
  /** The subprotocol to agree on, one of those that the client offers. */
  readonly protocol?: string | undefined;
  /** Why the socket is of no use to its client: that it was let in is how it is told. */
  readonly reason?: RefusalCode;
}

/**
 * Makes a `$connect` function: a refusal becomes the HTTP status of the handshake, anything else a 500,
 * and each handshake is logged once, without its query, which may hold a token or a share code.
 */
export const handshake =
  <Event extends APIGatewayProxyWebsocketEventV2>(accept: (event: Event, now: Date) => Promise<Accepted>) =>
  async (event: Event): Promise<APIGatewayProxyStructuredResultV2> => {
    const { connectionId, requestId } = event.requestContext;
    const line = { connectionId, requestId };
    try {
      const { protocol, reason } = await accept(event, new Date());
      logger.info('handshake', { ...line, status: 200, ...(reason && { reason }) });
      return { statusCode: 200, ...(protocol && { headers: { 'Sec-WebSocket-Protocol': protocol } }) };
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

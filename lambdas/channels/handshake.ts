import type { APIGatewayProxyStructuredResultV2, APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { resourceRefusal } from '../../contract/refusals';
import { isThrottled } from '../../data/store/throttled';
import { Refusal, type RefusalCode } from '../../domain/values/refusal';
import { logger } from '../runtime/logger';
import { named, type Subject } from '../runtime/subject';
import { ORIGIN_VERIFY } from '../../contract/channels/origin-verify';
import { isOriginSecret } from '../../data/channels/origin-secret';
import { bearerToken } from '../access/credentials';

/** The result of a completed handshake. */
export interface Accepted {
  /** The subprotocol to select, one of those that the client offers. */
  readonly protocol?: string | undefined;
  /** Why the client is refused, when the handshake succeeds only to tell it so by a subprotocol. */
  readonly reason?: RefusalCode;
}

/** DynamoDB is throttled: the client is to come back later, like one of too many. */
const tooMany = new Refusal('too_many_requests');

/** What the log says of a handshake. */
interface Opened extends Subject {
  readonly connectionId: string;
  /** Undefined for a viewer, and until the token has been verified. */
  clientId?: string;
}

/**
 * Makes a `$connect` function: a refusal becomes the HTTP status of the handshake, throttling of DynamoDB 429, any
 * other error a 500. Logs each handshake once, with its client, and without its query, which may hold a token or a share
 * code.
 * @param accept adds the client to the line as soon as it is known
 */
export const handshake =
  (accept: (event: ConnectEvent, now: Date, line: Opened) => Promise<Accepted>) =>
  async (event: ConnectEvent): Promise<APIGatewayProxyStructuredResultV2> => {
    const { connectionId, requestId } = event.requestContext;
    const { id, shareCode } = event.queryStringParameters ?? {};
    const line: Opened = { connectionId, requestId, ...named(id), ...named(shareCode) };
    try {
      const { protocol, reason } = await accept(event, new Date(), line);
      logger.info('handshake', { ...line, status: 200, ...(reason && { reason }) });
      return { statusCode: 200, ...(protocol && { headers: { 'Sec-WebSocket-Protocol': protocol } }) };
    } catch (error) {
      if (isThrottled(error)) logger.warn('handshake throttled', { ...line, throttled: true, error });
      const refusal = isThrottled(error) ? tooMany : error;
      if (refusal instanceof Refusal) {
        const { status, body } = resourceRefusal(refusal);
        logger.info('handshake', { ...line, status, reason: refusal.code });
        return { statusCode: status, body: JSON.stringify(body) };
      }
      logger.error('handshake', { ...line, status: 500, error });
      return { statusCode: 500 };
    }
  };

/** A `$connect` event, with the fields that `@types/aws-lambda` omits. */
export type ConnectEvent = APIGatewayProxyWebsocketEventV2 & {
  headers?: Record<string, string | undefined>;
  queryStringParameters?: Record<string, string | undefined> | null;
};

/** A header, by its name in lower case; clients may send it in any case. */
function headerIn({ headers = {} }: ConnectEvent, name: string): string | undefined {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

/** The subprotocols that a client offers; API Gateway selects the one that the function returns (developer guide, "$connect"). */
export const protocolsIn = (event: ConnectEvent): readonly string[] =>
  (headerIn(event, 'sec-websocket-protocol') ?? '').split(',').map((protocol) => protocol.trim());

/** The token of `Authorization: Bearer`, or of `?token=` for clients that can't set headers. */
export function tokenIn(event: ConnectEvent): string | undefined {
  return bearerToken(headerIn(event, 'authorization')) ?? event.queryStringParameters?.['token'];
}

/**
 * Refuses handshakes that did not come through CloudFront: the WebSocket API's own address bypasses the web ACL and its rate
 * rule (CloudFront developer guide, "Restrict access to Application Load Balancers", which works for any origin).
 * @throws Refusal `forbidden`
 */
export function expectCloudFront(event: ConnectEvent): void {
  if (!isOriginSecret(headerIn(event, ORIGIN_VERIFY) ?? '')) throw new Refusal('forbidden');
}

import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { ORIGIN_VERIFY } from '../../contract/channels/origin-verify';
import { isOriginSecret } from '../../data/channels/origin-secret';
import { Refusal } from '../../domain/values/refusal';
import { bearerToken } from '../access/credentials';

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

import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';

/** A `$connect` event with the parts that the types leave out. */
export type ConnectEvent = APIGatewayProxyWebsocketEventV2 & {
  headers?: Record<string, string | undefined>;
  queryStringParameters?: Record<string, string | undefined> | null;
};

/** API Gateway ends a connection after two hours, in seconds. */
export const LONGEST = 2 * 60 * 60;

/** The subprotocols that a client offers; API Gateway agrees on the one that the function returns (developer guide, "$connect"). */
export function protocolsIn({ headers = {} }: ConnectEvent): readonly string[] {
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'sec-websocket-protocol');
  return ((name && headers[name]) ?? '').split(',').map((protocol) => protocol.trim());
}

/** The token of `Authorization: Bearer`, or of `?token=` for clients that can't set headers. */
export function tokenIn({ headers = {}, queryStringParameters }: ConnectEvent): string | undefined {
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'authorization');
  const [, bearer] = /^bearer +(\S+)$/i.exec((name && headers[name]) ?? '') ?? [];
  return bearer ?? queryStringParameters?.['token'];
}

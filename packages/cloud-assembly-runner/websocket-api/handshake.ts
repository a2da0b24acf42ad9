/** WebSocket handshakes: API Gateway developer guide, "The $connect route". */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';
import type { Pairs } from './events';
import { MAX_MESSAGE_BYTES } from './connection';

/** A request to the domain of an API, as the proxy in front of it (CloudFront) passes it. */
export interface ApiRequest {
  readonly method: string;
  /** As sent, without the query, such as `/live`. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  readonly headers: Pairs;
  readonly sourceIp: string;
}

/** Arguments of Node.js's `upgrade` event: request, socket and the first bytes after the request. */
export interface UpgradedSocket {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

export interface Handshakes {
  /** Completes a handshake with a subprotocol; undefined when the client has disconnected meanwhile. */
  accept(upgraded: UpgradedSocket, protocol: string | undefined): WebSocket | undefined;
}

/** Time for a client to answer a close frame. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Completes handshakes of requests that {@link isWebSocketRequest} accepts. */
export function createHandshakes(): Handshakes {
  const chosen = new WeakMap<IncomingMessage, string>();
  // The types of `ws` lack the last option.
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (_offered, message) => chosen.get(message) ?? false,
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
  const server = new WebSocketServer(options);
  return {
    accept({ message, socket, head }, protocol) {
      if (protocol !== undefined) chosen.set(message, protocol);
      let opened: WebSocket | undefined;
      server.handleUpgrade(message, socket, head, (webSocket) => (opened = webSocket));
      return opened;
    },
  };
}

/** Whether a request is a valid WebSocket handshake (RFC 6455, section 4.2.1) of a known version. */
export function isWebSocketRequest(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '') &&
    ['8', '13'].includes(headers['sec-websocket-version'] ?? '') &&
    /^[!#$%&'*+.^`|~\w, -]*$/.test(headers['sec-websocket-protocol'] ?? '')
  );
}

/** Decoded names and values of a query; undefined when it has an invalid escape. */
export function queryPairs(query: string): Pairs | undefined {
  const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
  const pairs = query.split('&').filter((pair) => pair !== '');
  try {
    return pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [decode(name), decode(value.join('='))];
    });
  } catch {
    return undefined;
  }
}

/** Value of a header; `name` in lower case. */
export function headerOf(headers: Pairs, name: string): string | undefined {
  return headers.find(([other]) => other.toLowerCase() === name)?.[1];
}

/** Headers of the event: API Gateway appends the caller to X-Forwarded-For and removes hop-by-hop headers. */
export function eventHeaders({ headers, sourceIp }: ApiRequest): Pairs {
  const own = new Set(['connection', 'upgrade', 'x-forwarded-for', 'x-forwarded-port', 'x-forwarded-proto']);
  return [
    ...headers.filter(([name]) => !own.has(name.toLowerCase())),
    ['X-Forwarded-For', [headerOf(headers, 'x-forwarded-for') ?? [], sourceIp].flat().join(', ')],
    ['X-Forwarded-Port', '443'],
    ['X-Forwarded-Proto', 'https'],
  ];
}

/** What stands behind a distribution: an API, a bucket. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Names and values in order, names as they were sent. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** A request as CloudFront sends it to an origin. */
export interface OriginRequest {
  readonly method: string;
  /** The origin's path and the URI of the request, percent-encoded, such as `/live/`. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: Pairs;
  /** Where the request comes from, which is CloudFront; the viewer stands in `X-Forwarded-For`. */
  readonly sourceIp: string;
}

/** What an Upgrade request leaves behind: the request itself, its socket and what followed it. */
export interface UpgradedSocket {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer;
}

/** An origin in the same process. */
export interface Origin {
  serve(request: OriginRequest): Promise<Reply>;
  /** Takes the socket of a WebSocket handshake over, or gives the reply that refuses it. */
  upgrade?(request: OriginRequest, upgraded: UpgradedSocket): Promise<Reply | undefined>;
}

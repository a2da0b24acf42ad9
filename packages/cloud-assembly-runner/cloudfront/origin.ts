/** Origin of a distribution: an API or a bucket. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Names and values in order; names keep their case. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** A request from CloudFront to an origin. */
export interface OriginRequest {
  readonly method: string;
  /** Origin path and request URI, percent-encoded, such as `/live/`. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: Pairs;
  /** Address of CloudFront; the viewer's is in `X-Forwarded-For`. */
  readonly sourceIp: string;
}

/** An Upgrade request, its socket, and the first bytes after its headers. */
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

export interface Origin {
  serve(request: OriginRequest): Promise<Reply>;
  /** Takes over the socket of a WebSocket handshake, or returns the reply that refuses it. */
  upgrade?(request: OriginRequest, upgraded: UpgradedSocket): Promise<Reply | undefined>;
}

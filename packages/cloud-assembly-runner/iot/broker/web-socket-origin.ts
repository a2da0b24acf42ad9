/** MQTT over WebSockets: AWS IoT Core developer guide, "Device communication protocols". */
import type { IncomingMessage } from 'node:http';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { Origin, Reply } from '../../cloudfront/origin';
import type { Authorizer } from '../authorizer';
import { MqttStream } from './mqtt-stream';

const PATH = '/mqtt';
const SUBPROTOCOL = 'mqtt';
/** Frames hold at most what a message has. */
const MAX_FRAME_BYTES = 136 * 1024;

export interface WebSocketOriginOptions {
  /** Server name of the TLS connection. */
  readonly domain: string;
  readonly authorizer: Authorizer | undefined;
  readonly serve: (stream: MqttStream) => void;
}

const refusal = (status: number): Reply => ({ status, headers: {}, body: '' });

/**
 * The endpoint of a domain configuration for MQTT over WebSockets, as the origin of a distribution: handshakes with the path
 * `/mqtt` and the subprotocol `mqtt` become clients of the broker.
 */
export function createWebSocketOrigin({ domain, authorizer, serve }: WebSocketOriginOptions): Origin {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: () => SUBPROTOCOL,
  });
  return {
    serve: () => Promise.resolve(refusal(426)),
    upgrade(request, { message, socket, head }) {
      if (request.path !== PATH) return Promise.resolve(refusal(404));
      if (!subprotocolsIn(message).includes(SUBPROTOCOL)) return Promise.resolve(refusal(400));
      const http = { headers: Object.fromEntries(request.headers), queryString: request.query && `?${request.query}` };
      server.handleUpgrade(message, socket, head, (opened) =>
        serve(
          new MqttStream(createWebSocketStream(opened), {
            authorizer,
            serverName: domain,
            http,
            ipAddress: request.sourceIp,
          }),
        ),
      );
      return Promise.resolve(undefined);
    },
  };
}

const subprotocolsIn = ({ headers }: IncomingMessage) =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());

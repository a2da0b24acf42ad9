/** HTTP server of a distribution: reads requests, writes replies, passes on upgraded sockets. */
import { createServer, STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { KEEP_ALIVE_MS } from '../keep-alive';
import { errorReply, type Distribution } from './distribution';
import type { Pairs, Reply } from './origin';
import type { ViewerRequest } from './functions/viewer-event';

export interface DistributionServer {
  stop(): Promise<void>;
}

/** Maximum URL length: CloudFront quotas, "General quotas". */
const MAX_URL_LENGTH = 8192;

/** Listens for plain HTTP. Rejects when it can't listen. */
export async function startServer(distribution: Distribution, host: string, port: number): Promise<DistributionServer> {
  const upgradedSockets = new Set<Duplex>();
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });

  server.on('request', (message, response) => {
    message.resume();
    answer(distribution, message)
      .then((reply) => {
        if (!reply) return response.destroy();
        response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) });
        return response.end(reply.body);
      })
      .catch(() => response.destroy());
  });

  server.on('upgrade', (message, socket, head) => {
    upgradedSockets.add(socket);
    socket.on('close', () => upgradedSockets.delete(socket));
    socket.on('error', () => socket.destroy());
    answer(distribution, message, { socket, head })
      .then((reply) => reply && writeTo(socket, message, reply))
      .catch(() => socket.destroy());
  });

  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });

  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    stop: () => {
      for (const socket of upgradedSockets) socket.destroy();
      return close(server);
    },
  };
}

/** Waits up to a second for running requests. */
async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), 1000);
  await closed;
  clearTimeout(timer);
}

function answer(
  distribution: Distribution,
  message: IncomingMessage,
  upgrade?: { readonly socket: Duplex; readonly head: Buffer },
): Promise<Reply | undefined> {
  const viewer = viewerRequest(message);
  if (!viewer) return Promise.resolve(errorReply(400, 'Bad request.'));
  const webSocket = message.headers.upgrade?.toLowerCase() === 'websocket';
  return distribution(viewer, upgrade && webSocket ? { message, ...upgrade } : undefined);
}

function viewerRequest(message: IncomingMessage): ViewerRequest | undefined {
  const [uri = '', ...search] = (message.url ?? '').split('?');
  if (!uri.startsWith('/') || (message.url ?? '').length > MAX_URL_LENGTH) return undefined;
  return {
    method: message.method ?? 'GET',
    uri,
    query: search.join('?'),
    headers: headerPairs(message.rawHeaders),
    ip: (message.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
  };
}

function headerPairs(raw: readonly string[]): Pairs {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));
}

/** Replies on the socket of an Upgrade request, which Node.js's HTTP server no longer handles. */
function writeTo(socket: Duplex, { method }: IncomingMessage, { status, headers, body }: Reply): void {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' })
    .flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one.replace(/[\r\n]/g, ' ')}\r\n`))
    .join('');
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}\r\n`);
  socket.end(method === 'HEAD' ? '' : body);
}

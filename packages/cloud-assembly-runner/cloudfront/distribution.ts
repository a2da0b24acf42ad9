/**
 * Serves one distribution: behavior, viewer function, origin, error page and response headers, in this order; and its HTTP
 * server, which reads requests, writes replies and passes on upgraded sockets.
 */
import { randomBytes } from 'node:crypto';
import { createServer, STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { matches } from '../iam/policy';
import { compressed } from './compression';
import type { Behaviour, DistributionParts } from './distribution-config';
import { forwardedPart } from './forwarding';
import type { Origin, OriginRequest, Pairs, Reply, UpgradedSocket } from './origin';
import {
  parseResult,
  viewerRequestEvent,
  type ViewerFunctionResult,
  type ViewerRequest,
} from './functions/viewer-event';
import { KEEP_ALIVE_MS } from '../keep-alive';

/** Answers a viewer; undefined after an origin has taken over the socket. Never rejects. */
export type Distribution = (viewer: ViewerRequest, upgraded?: UpgradedSocket) => Promise<Reply | undefined>;

export interface DistributionOptions {
  /** Origin by domain, called at every request; undefined if there is none. */
  readonly originOf: (domain: string) => Origin | undefined;
  readonly log: (line: string) => void;
}

export function createDistribution(parts: DistributionParts, { originOf, log }: DistributionOptions): Distribution {
  const behaviourFor = (uri: string): Behaviour =>
    parts.behaviours.find(({ pattern }) => matches(pattern, uri)) ?? parts.defaultBehaviour;

  async function runViewerFunction(
    viewer: ViewerRequest,
    behaviour: Behaviour,
    requestId: string,
  ): Promise<ViewerFunctionResult> {
    const { viewerFunction } = behaviour;
    if (!viewerFunction) return { request: viewer };
    try {
      const result = await viewerFunction(viewerRequestEvent(viewer, parts, requestId));
      const parsed = parseResult(result, viewer);
      return 'reply' in parsed ? { reply: behaviour.responseHeaders(parsed.reply) } : parsed;
    } catch (error) {
      log(
        `Distribution ${parts.id}: the viewer function failed: ${error instanceof Error ? error.message : 'unknown'}`,
      );
      return { reply: errorReply(503, 'The CloudFront function associated with the CloudFront distribution failed.') };
    }
  }

  /** Sends a request to the origin; `upgraded` only for a WebSocket handshake. */
  async function fetchFromOrigin(
    request: ViewerRequest,
    behaviour: Behaviour,
    requestId: string,
    upgraded?: UpgradedSocket,
  ) {
    const origin = originOf(behaviour.origin.domain);
    if (!origin) {
      log(`Distribution ${parts.id}: there is no origin ${behaviour.origin.domain} on this machine`);
      return errorReply(502, 'CloudFront wasn’t able to resolve the origin domain name.');
    }
    const forwarded = originRequest(request, behaviour, requestId);
    try {
      return upgraded && origin.upgrade ? await origin.upgrade(forwarded, upgraded) : await origin.serve(forwarded);
    } catch (error) {
      log(`Distribution ${parts.id}: the origin failed: ${error instanceof Error ? error.message : 'unknown'}`);
      return errorReply(502, 'The origin closed the connection.');
    }
  }

  function originRequest(request: ViewerRequest, { origin, policies }: Behaviour, requestId: string): OriginRequest {
    const { query, headers } = forwardedPart(request, policies);
    const sent = new Set(headers.map(([name]) => name.toLowerCase()));
    const before = headers.filter(([name]) => name.toLowerCase() === 'x-forwarded-for').map(([, value]) => value);
    const custom = new Set(origin.customHeaders.map(([name]) => name.toLowerCase()));
    const uri = request.uri === '/' ? `/${parts.defaultRootObject}` : request.uri;
    return {
      method: request.method,
      path: `${origin.path}${uri}`,
      query,
      headers: [
        ...(sent.has('host') ? [] : [['Host', origin.domain] as const]),
        ...(sent.has('user-agent') ? [] : [['User-Agent', 'Amazon CloudFront'] as const]),
        ...headers.filter(([name]) => !custom.has(name.toLowerCase()) && name.toLowerCase() !== 'x-forwarded-for'),
        ...origin.customHeaders,
        ['X-Forwarded-For', [...before, request.ip].join(', ')],
        ['Via', `1.1 ${parts.domainName} (CloudFront)`],
        ['X-Amz-Cf-Id', requestId],
      ],
      sourceIp: '127.0.0.1',
    };
  }

  /** Replaces a reply by the custom error page for its status. */
  async function withErrorPage(reply: Reply, requestId: string, viewer: ViewerRequest): Promise<Reply> {
    const page = parts.errorPages.get(reply.status);
    if (!page) return reply;
    const request: ViewerRequest = { ...viewer, method: 'GET', uri: page.path, query: '', headers: [] };
    const shown = await fetchFromOrigin(request, behaviourFor(page.path), requestId);
    return shown?.status === 200 ? { ...shown, status: page.status } : reply;
  }

  return async (viewer, upgraded) => {
    const behaviour = behaviourFor(viewer.uri);
    if (!behaviour.methods.includes(viewer.method)) {
      return errorReply(403, 'This distribution is not configured to allow the HTTP request method.');
    }
    const requestId = randomBytes(42).toString('base64url');
    const wanted = await runViewerFunction(viewer, behaviour, requestId);
    if ('reply' in wanted) return wanted.reply;
    const reply = await fetchFromOrigin(wanted.request, behaviour, requestId, upgraded);
    if (!reply) return undefined;
    const shown = behaviour.responseHeaders(await withErrorPage(reply, requestId, viewer));
    return compressed(shown, viewer.headers, behaviour.compression);
  };
}

/** An error that CloudFront generates itself. */
function errorReply(status: number, text: string): Reply {
  return {
    status,
    headers: { 'content-type': 'text/html' },
    body: `<!DOCTYPE html><title>${status}</title><h1>${status}</h1><p>${text}</p>`,
  };
}

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

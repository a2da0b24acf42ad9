/** HTTP server of the gateway: reads requests, writes replies, and permits cross-origin calls in front of the API. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';
import { CLIENTS, type Meter } from '../billing/meter';
import { headerOf, type GatewayReply, type GatewayRequest, type Values } from './integrations/call';
import { KEEP_ALIVE_MS } from '../keep-alive';
import type { Gateway } from './gateway';
import { GatewayError } from './gateway-responses';

/** API Gateway quotas, "Payload size": 10 MB. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

export interface GatewayServer {
  readonly url: string;
  stop(): Promise<void>;
}

export interface GatewayServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly meter: Pick<Meter, 'charge'>;
}

/** Listens for plain HTTP. Rejects when it can't listen. */
export async function startServer(
  gateway: Pick<Gateway, 'answer'>,
  cors: Cors,
  { host, port, meter }: GatewayServerOptions,
): Promise<GatewayServer> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    serve(gateway, cors, request)
      .then((reply) => {
        meter.charge(CLIENTS, { 'apigateway:requests': 1, 'transfer:bytesOut': Buffer.byteLength(reply.body) });
        send(response, reply);
      })
      .catch(() => response.destroy());
  });
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://${isIPv6(address.address) ? `[${address.address}]` : address.address}:${address.port}`,
    stop: () => close(server),
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

async function serve(gateway: Pick<Gateway, 'answer'>, cors: Cors, message: IncomingMessage): Promise<GatewayReply> {
  const request = requestOf(message);
  if (!request) return BAD_REQUEST;
  return cors.preflight(request) ?? cors.permit(request, await gateway.answer(request, () => readBody(message)));
}

const BAD_REQUEST: GatewayReply = {
  status: 400,
  headers: { 'Content-Type': 'application/json', 'x-amzn-ErrorType': 'BadRequestException' },
  body: JSON.stringify({ message: 'Bad Request' }),
};

/** Converts a request; undefined if its URL is malformed. */
function requestOf(message: IncomingMessage): GatewayRequest | undefined {
  const [target = '', ...search] = (message.url ?? '').split('?');
  const sourceIp = (message.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  try {
    // Throws for invalid percent-encoding, so that later code need not check it.
    decodeURIComponent(target);
    if (!target.startsWith('/') || target.includes('#')) return undefined;
    return {
      method: message.method ?? 'GET',
      path: target,
      headers: valuesOf([...forwarded(message, sourceIp), ...headersOf(message)]),
      query: valuesOf(queryOf(search.join('?'))),
      protocol: `HTTP/${message.httpVersion}`,
      sourceIp,
    };
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Name-value pairs in order. @throws URIError for invalid percent-encoding */
function queryOf(search: string): [string, string][] {
  const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
  return search
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [decode(name), decode(value.join('='))];
    });
}

const FORWARDED = ['x-forwarded-for', 'x-forwarded-port', 'x-forwarded-proto'];

function headersOf({ rawHeaders }: IncomingMessage): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (!FORWARDED.includes(name.toLowerCase())) pairs.push([name, value]);
  }
  return pairs;
}

/** API Gateway appends the caller's address to `X-Forwarded-For`. */
function forwarded(message: IncomingMessage, sourceIp: string): [string, string][] {
  const before = message.headers['x-forwarded-for'] ?? [];
  return [
    ['X-Forwarded-For', [before, sourceIp].flat().join(', ')],
    ['X-Forwarded-Port', String(message.socket.localPort ?? '')],
    ['X-Forwarded-Proto', 'http'],
  ];
}

function valuesOf(pairs: readonly (readonly [string, string])[]): Values {
  const multi = new Map<string, string[]>();
  for (const [name, value] of pairs) multi.set(name, [...(multi.get(name) ?? []), value]);
  return {
    single: Object.fromEntries([...multi].map(([name, values]) => [name, values.at(-1) ?? ''])),
    multi: Object.fromEntries(multi),
  };
}

/** Reads the body. A body that is too large is discarded as it arrives. */
function readBody(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const refuse = () => {
      message.removeAllListeners('data');
      message.resume();
      reject(new GatewayError('REQUEST_TOO_LARGE'));
    };
    if (Number(message.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
      refuse();
      return;
    }
    message.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) refuse();
      else chunks.push(chunk);
    });
    message.on('end', () => resolve(Buffer.concat(chunks)));
    message.on('error', reject);
  });
}

function send(response: ServerResponse, { status, headers, body }: GatewayReply): void {
  const bodiless = status === 204 || status === 304;
  try {
    response.writeHead(status, { ...headers, ...(!bodiless && { 'Content-Length': Buffer.byteLength(body) }) });
  } catch {
    // A function can return a header that HTTP can't carry.
    response.writeHead(502, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ message: 'Internal server error' }));
    return;
  }
  response.end(bodiless ? undefined : body);
}

/** How long browsers remember a preflight; the longest that Chromium accepts is two hours. */
const MAX_AGE_SECONDS = 600;

/**
 * Cross-origin calls of web pages: Fetch standard, "CORS protocol". On AWS an API permits them with methods and headers of
 * its own; here they are permitted in front of the API, for tools on this machine, and the API does not know.
 */
interface Cors {
  /** The reply to a preflight of a permitted origin; undefined for every other request. */
  preflight(request: GatewayRequest): GatewayReply | undefined;
  /** Lets pages of a permitted origin read the reply, with all its headers. */
  permit(request: GatewayRequest, reply: GatewayReply): GatewayReply;
}

/** @param origins permitted origins, such as `http://127.0.0.1:3001` */
export function createCors(origins: readonly string[]): Cors {
  const permitted = (request: GatewayRequest) => {
    const origin = headerOf(request, 'origin');
    return origin !== undefined && origins.includes(origin) ? { 'Access-Control-Allow-Origin': origin } : undefined;
  };
  return {
    preflight(request) {
      const origin = permitted(request);
      const method = headerOf(request, 'access-control-request-method');
      if (!origin || request.method !== 'OPTIONS' || method === undefined) return undefined;
      const headers = {
        ...origin,
        Vary: 'Origin',
        'Access-Control-Allow-Methods': method,
        // By name: a wildcard does not include Authorization.
        'Access-Control-Allow-Headers': headerOf(request, 'access-control-request-headers') ?? '',
        'Access-Control-Max-Age': String(MAX_AGE_SECONDS),
      };
      return { status: 204, headers, body: '' };
    },

    permit(request, reply) {
      const origin = permitted(request);
      if (!origin) return reply;
      return {
        ...reply,
        headers: { ...reply.headers, ...origin, Vary: 'Origin', 'Access-Control-Expose-Headers': '*' },
      };
    },
  };
}

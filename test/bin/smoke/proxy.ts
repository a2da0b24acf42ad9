import { type IncomingHttpHeaders, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { WebSocket, WebSocketServer } from 'ws';
import { readFacts } from '../../api/stack/facts';

interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface ProxiedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

type Message = Readonly<Record<string, unknown>>;

/** Changes to the service's answers; what is undefined stays unchanged. */
export interface InjectedFault {
  /** Returns another answer, or undefined for the original. */
  readonly answer?: (request: ReceivedRequest, real: ProxiedAnswer) => ProxiedAnswer | undefined;
  /** Returns another message, one as `text`, or undefined to drop it. */
  readonly message?: (path: string, real: Message) => Message | undefined;
  /** Returns another status for a refused handshake. */
  readonly handshake?: (path: string, real: number) => number;
  /** A word in MQTT messages and its replacement of the same length. */
  readonly mqtt?: readonly [word: string, other: string];
}

/** Applies all faults; of several MQTT replacements only the first. */
export function combined(all: readonly InjectedFault[]): InjectedFault {
  const mqtt = all.find((one) => one.mqtt)?.mqtt;
  return {
    answer: (request, real) => all.reduce((given, one) => one.answer?.(request, given) ?? given, real),
    message: (path, real) =>
      all.reduce<Message | undefined>(
        (message, one) => (message && one.message ? one.message(path, message) : message),
        real,
      ),
    handshake: (path, real) => all.reduce((status, one) => one.handshake?.(path, status) ?? status, real),
    ...(mqtt && { mqtt }),
  };
}

/** Changes the answer to the nth request whose method and path match. */
export function alterAnswer(
  request: RegExp,
  change: (real: ProxiedAnswer) => Partial<ProxiedAnswer>,
  { nth = 1, when = () => true }: { nth?: number; when?: (headers: IncomingHttpHeaders) => boolean } = {},
): InjectedFault {
  let count = 0;
  return {
    answer({ method, path, headers }, real) {
      if (!request.test(`${method} ${path}`) || !when(headers) || ++count !== nth) return undefined;
      return { ...real, ...change(real) };
    },
  };
}

/** Changes fields of one answer's body; `undefined` removes a field. */
export const alterBody = (request: RegExp, fields: object, nth = 1): InjectedFault =>
  alterAnswer(request, ({ body }) => ({ body: { ...body, ...fields } }), { nth });

/** Changes fields of the resource of that name in one answer. */
export const alterResource = (
  name: 'job' | 'share' | 'mission',
  request: RegExp,
  fields: object,
  nth = 1,
): InjectedFault =>
  alterAnswer(request, ({ body }) => ({ body: { ...body, [name]: { ...(body[name] as object), ...fields } } }), {
    nth,
  });

/** Changes messages of sockets whose path matches; `undefined` drops a message. */
export const alterMessages = (paths: RegExp, change: (real: Message) => Message | undefined): InjectedFault => ({
  message: (path, real) => (paths.test(path) ? change(real) : real),
});

/** Removes a header from an answer. */
export const withoutHeader = (header: string, { headers }: ProxiedAnswer): Partial<ProxiedAnswer> => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== header)),
});

/** Headers not to forward: hop-by-hop (RFC 9110 section 7.6.1), or wrong for a changed body. */
const own = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-encoding', 'host', 'date'];

/** A proxy in front of the REST and WebSocket addresses of the stack under test, which injects faults. */
export interface Proxy {
  readonly baseUrl: string;
  readonly wsUrl: string;
  /** Stops the proxy and closes all connections. */
  close(): Promise<void>;
}

export async function startProxy(fault: InjectedFault): Promise<Proxy> {
  const { baseUrl, wsUrl } = readFacts();
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer((request, response) => {
    passOn(baseUrl, request, response, fault).catch((error: unknown) => response.destroy(error as Error));
  });
  server.on('upgrade', (request, socket, head) => upgrade(wsUrl, sockets, fault, { request, socket, head }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    async close() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function passOn(baseUrl: string, request: IncomingMessage, response: ServerResponse, fault: InjectedFault) {
  const { method = 'GET', url = '/' } = request;
  const body = await buffer(request);
  const headers = Object.entries(request.headers).filter(([name]) => !own.includes(name)) as [string, string][];
  const answer = await fetch(baseUrl + url, { method, headers, ...(body.length > 0 && { body }) });
  const text = await answer.text();
  const real = {
    status: answer.status,
    headers: Object.fromEntries([...answer.headers].filter(([name]) => !own.includes(name))),
    body: (text && JSON.parse(text)) as Record<string, unknown>,
  };
  const given = fault.answer?.({ method, path: url, headers: request.headers }, real) ?? real;
  response.writeHead(given.status, given.headers).end(JSON.stringify(given.body));
}

interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Opens the upstream socket first, so that its refusal becomes that of the handshake. */
function upgrade(wsUrl: string, sockets: WebSocketServer, fault: InjectedFault, { request, socket, head }: Upgrade) {
  const { url = '/', headers } = request;
  const { authorization } = headers;
  const real = new WebSocket(wsUrl + url, { headers: authorization === undefined ? {} : { authorization } });
  const early: string[] = [];
  let pass = (text: string): unknown => early.push(text);
  real.on('message', (data: Buffer) => {
    const text = data.toString();
    const given = fault.message ? fault.message(url, JSON.parse(text) as Record<string, unknown>) : text;
    if (given !== undefined) pass(typeof given === 'string' ? given : JSON.stringify(given));
  });
  real.on('error', () => socket.destroy());
  real.once('unexpected-response', (sent, { statusCode = 500 }) => {
    sent.destroy();
    socket.end(`HTTP/1.1 ${fault.handshake?.(url, statusCode) ?? statusCode} Refused\r\nconnection: close\r\n\r\n`);
  });
  real.once('open', () =>
    sockets.handleUpgrade(request, socket, head, (client) => {
      pass = (text) => client.send(text);
      for (const text of early) client.send(text);
      client.on('message', (data: Buffer) => real.send(data.toString()));
      client.once('close', () => real.close());
      real.once('close', () => client.close());
    }),
  );
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { WebSocket, WebSocketServer } from 'ws';
import { readFacts } from '../../api/stack/facts';
import type { InjectedFault } from './injected-fault';

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

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocketServer, type WebSocket } from 'ws';

/** A request as the service received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The JSON of the body; undefined for a file. */
  readonly body: unknown;
  /** The bytes of the body. */
  readonly content: Buffer;
}

/** What the service answers; `destroy` breaks the connection instead. */
export type Answer =
  | 'destroy'
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: unknown;
      /** The body as it is, in place of JSON. */
      readonly text?: string | Uint8Array;
    };

/** A socket that a client has opened. */
export interface FollowerSocket {
  readonly socket: WebSocket;
  readonly path: string;
  readonly token: string | undefined;
  /** Messages of the client. */
  readonly received: Record<string, unknown>[];
}

/** A service whose answers and messages a test decides. It issues tokens `token-1`, `token-2`, …. */
export class FakeService {
  readonly requests: ReceivedRequest[] = [];
  readonly sockets: FollowerSocket[] = [];
  /** Handshakes, those that were refused too. */
  handshakes = 0;
  tokens = 0;
  /** How long the first tokens last, in seconds; further ones last an hour. */
  tokenLifetimesS: readonly number[] = [];
  /** Answers to requests for anything but a token. */
  answer: (request: ReceivedRequest) => Answer = () => ({ status: 404, body: { error: 'Not found' } });
  /** Refuses a handshake, by its path and its Authorization. */
  refuse: (path: string, authorization?: string) => Exclude<Answer, string> | undefined = () => undefined;
  /** Is called with each new socket. */
  welcome: (follower: FollowerSocket) => void = () => undefined;
  /** The answer to a new token; by default that of a service which knows no such action. */
  renewal: object = { type: 'error', code: 'unknown_action', error: 'unknown_action' };
  /** Whether pings are answered. */
  answersPings = true;

  readonly #server = createServer((request, response) => void this.#handle(request, response));
  readonly #sockets = new WebSocketServer({ noServer: true });

  async start(port = 0): Promise<this> {
    this.#server.on('upgrade', (request, socket, head) => {
      this.handshakes++;
      const path = request.url ?? '';
      const refusal = this.refuse(path, request.headers.authorization);
      if (refusal) {
        const body = JSON.stringify(refusal.body ?? {});
        const headers = Object.entries({ 'content-type': 'application/json', ...refusal.headers });
        const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
        socket.end(
          `HTTP/1.1 ${refusal.status} Refused\r\n${lines}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
        );
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (open) =>
        this.#open(open, path, request.headers.authorization),
      );
    });
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get wsUrl(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  /** The newest socket. */
  get last(): FollowerSocket {
    const found = this.sockets.at(-1);
    if (!found) throw new Error('no socket was opened');
    return found;
  }

  /** Options of a client of this service. */
  get options() {
    const { baseUrl, wsUrl } = this;
    return { baseUrl, wsUrl, clientId: 'client', clientSecret: 'secret', apiKey: 'key' };
  }

  /** Sends a message to every open socket. */
  publish(message: object): void {
    for (const { socket } of this.sockets) socket.send(JSON.stringify(message));
  }

  /** Breaks all connections, as a lost network would. */
  cut(): void {
    for (const { socket } of this.sockets) socket.terminate();
    this.#server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((done) => this.#server.close(done));
  }

  #open(socket: WebSocket, path: string, authorization: string | undefined): void {
    const follower: FollowerSocket = { socket, path, token: authorization?.replace('Bearer ', ''), received: [] };
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Record<string, unknown>;
      follower.received.push(message);
      if (message['action'] === 'ping' && this.answersPings) socket.send('{"type":"pong"}');
      if (message['action'] === 'authenticate') socket.send(JSON.stringify({ ...this.renewal, id: message['id'] }));
    });
    this.sockets.push(follower);
    this.welcome(follower);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const content = await buffer(request);
    const isJson = content.length > 0 && headers['content-type'] === 'application/json';
    const body = isJson ? (JSON.parse(content.toString()) as unknown) : undefined;
    const received = { method, path, headers, body, content };
    const isToken = path === '/v3/auth/token';
    if (!isToken) this.requests.push(received);
    const answer = isToken ? this.issueToken() : this.answer(received);
    if (answer === 'destroy') return void request.socket.destroy();
    response
      .writeHead(answer.status, { 'content-type': 'application/json', 'x-request-id': 'request-1', ...answer.headers })
      .end(answer.text ?? JSON.stringify(answer.body));
  }

  /** The answer to a request for a token. */
  issueToken: () => Answer = () => ({
    status: 200,
    body: {
      expires_in: this.tokenLifetimesS[this.tokens] ?? 3600,
      access_token: `token-${++this.tokens}`,
      token_type: 'Bearer',
    },
  });
}

/**
 * Makes the attempts of each test of a file follow at once: the waits between them are at random, and without chance
 * there are none.
 */
export function withoutWaits(): void {
  beforeEach(() => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => jest.restoreAllMocks());
}

/** Waits until a condition holds, by the real clock. @throws Error after a minute, so that a test that hangs ends */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`did not happen: ${condition.toString()}`);
    await pause(5);
  }
}

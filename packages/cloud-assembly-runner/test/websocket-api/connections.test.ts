import { IncomingMessage, request } from 'node:http';
import { Socket } from 'node:net';
import { WebSocket } from 'ws';
import {
  DeleteConnectionCommand,
  GetConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import {
  closing,
  nextMessages,
  serveApi,
  type Event,
  type Handler,
  type ServedApi,
  type ServedOptions,
} from './served-api';
import { until } from '../until';

describe('A handshake with a WebSocket API', () => {
  let served: ServedApi;
  const events: Event[] = [];
  const serve = async ($connect: Handler, more: Partial<Parameters<typeof serveApi>[0]> = {}) =>
    (served = await serveApi({
      routes: {
        $connect: (event) => (events.push(event), $connect(event)),
        $disconnect: (event) => void events.push(event),
      },
      ...more,
    }));
  const refused = (status: number) => `Unexpected server response: ${status}`;
  const ok = () => ({ statusCode: 200 });

  const wellFormed = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };

  beforeEach(() => (events.length = 0));
  afterEach(() => served.stop());

  test('invokes $connect with the event that API Gateway sends', async () => {
    await serve(ok);
    const headers = { Authorization: 'Bearer t', 'User-Agent': 'partner/1' };
    await served.connect('?job=a%20b&x=1&x=2', { headers });
    expect(events[0]).toEqual({
      headers: expect.objectContaining({
        Host: `${served.apiId}.execute-api.eu-central-1.amazonaws.com`,
        Authorization: 'Bearer t',
        'Sec-WebSocket-Version': '13',
        'X-Forwarded-For': '203.0.113.9',
      }) as unknown,
      multiValueHeaders: expect.objectContaining({ Authorization: ['Bearer t'] }) as unknown,
      queryStringParameters: { job: 'a b', x: '2' },
      multiValueQueryStringParameters: { job: ['a b'], x: ['1', '2'] },
      requestContext: {
        routeKey: '$connect',
        eventType: 'CONNECT',
        extendedRequestId: expect.any(String) as unknown,
        requestTime: expect.stringMatching(/^\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000$/) as unknown,
        messageDirection: 'IN',
        stage: 'live',
        connectedAt: expect.any(Number) as unknown,
        requestTimeEpoch: expect.any(Number) as unknown,
        identity: { sourceIp: '203.0.113.9', userAgent: 'partner/1' },
        requestId: expect.any(String) as unknown,
        domainName: `${served.apiId}.execute-api.eu-central-1.amazonaws.com`,
        connectionId: expect.stringMatching(/^[\w-]{15}=$/) as unknown,
        apiId: served.apiId,
      },
      isBase64Encoded: false,
    });
  });

  test('leaves the query out of the event when there is none', async () => {
    await serve(ok);
    await served.connect();
    expect(events[0]).not.toHaveProperty('queryStringParameters');
    expect(events[0]).not.toHaveProperty('multiValueQueryStringParameters');
  });

  test.each([401, 403, 404, 429, 500])('is refused with the status %d that $connect returns', async (statusCode) => {
    await serve(() => ({ statusCode, body: 'not for the client' }));
    await expect(served.connect()).rejects.toThrow(refused(statusCode));
    expect(served.api.connectionCount).toBe(0);
  });

  test('is refused with 502 when $connect returns an invalid response', async () => {
    await serve(() => 'yes');
    await expect(served.connect()).rejects.toThrow(refused(502));
    expect(served.log.join()).toContain('malformed Lambda proxy response');
  });

  test('is refused with 500 when the API has no permission to invoke the function', async () => {
    await serve(ok, { permits: (sourceArn) => !sourceArn.endsWith('/live/$connect') });
    await expect(served.connect()).rejects.toThrow(refused(500));
    expect(events).toEqual([]);
  });

  test('succeeds without a $connect route', async () => {
    served = await serveApi({ routes: {} });
    await served.connect();
    expect(served.api.connectionCount).toBe(1);
  });

  test('agrees on a subprotocol only when $connect returns it', async () => {
    await serve(({ headers }) => ({
      statusCode: 200,
      headers: headers?.['Sec-WebSocket-Protocol'] === 'a,b' ? { 'Sec-WebSocket-Protocol': 'b' } : {},
    }));
    expect((await served.connect('', { protocols: ['a', 'b'] })).protocol).toBe('b');
    await expect(served.connect('', { protocols: ['c'] })).rejects.toThrow('no subprotocol');
  });

  test('is refused with 403 for a path that is not the stage', async () => {
    await serve(ok);
    await expect(served.connect('/job')).rejects.toThrow(refused(403));
    await expect(served.connect('ly')).rejects.toThrow(refused(403));
    await served.connect('/');
    expect(events).toHaveLength(1);
  });

  test('is refused with 400 for an invalid escape in the query, before $connect', async () => {
    await serve(ok);
    await expect(served.connect('?a=%zz')).rejects.toThrow(refused(400));
    expect(events).toEqual([]);
  });

  test.each([
    { 'sec-websocket-version': '99' },
    { 'sec-websocket-key': 'short' },
    { 'sec-websocket-protocol': 'a;b' },
    { upgrade: 'h2c' },
  ])('is refused with 400 when it is malformed: %j', async (malformed) => {
    await serve(ok);
    const headers = { ...wellFormed, ...malformed };
    const url = served.url.replace('ws:', 'http:');
    const status = await new Promise((resolve) => {
      request(`${url}/live`, { headers }, (answer) => resolve(answer.statusCode)).end();
    });
    expect(status).toBe(400);
    expect(events).toEqual([]);
  });

  test('is refused with 429 beyond the rate of new connections', async () => {
    await serve(ok, { limits: { connectionsPerSecond: 2 } });
    const results = await Promise.allSettled([1, 2, 3, 4, 5, 6].map(() => served.connect()));
    const reasons = results.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Error).message] : []));
    expect(new Set(reasons)).toEqual(new Set([refused(429)]));
    expect(events.length + reasons.length).toBe(6);
  });

  test('is refused with 429 by the throttle of the stage', async () => {
    await serve(ok, { settings: { DefaultRouteSettings: { ThrottlingRateLimit: 0.001, ThrottlingBurstLimit: 1 } } });
    await served.connect();
    await expect(served.connect()).rejects.toThrow(refused(429));
  });

  test('invokes $disconnect when the client disconnects during $connect', async () => {
    let entered = false;
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    await serve(async () => {
      entered = true;
      await gate;
      return { statusCode: 200 };
    });
    const client = new WebSocket(`${served.url}/live`).on('error', () => undefined);
    await until(() => entered);
    client.terminate();
    goOn();
    await until(() => events.length === 2);
    expect(events[1]?.requestContext).toMatchObject({ routeKey: '$disconnect', eventType: 'DISCONNECT' });
    expect(events[1]?.requestContext.connectionId).toBe(events[0]?.requestContext.connectionId);
    expect(served.api.connectionCount).toBe(0);
  });

  test('invokes $disconnect when the socket is closed by then', async () => {
    await serve(ok);
    const socket = new Socket();
    const message = Object.assign(new IncomingMessage(socket), { method: 'GET', headers: { ...wellFormed } });
    const headers = [['Host', `${served.apiId}.execute-api.eu-central-1.amazonaws.com`]] as const;
    const asked = { method: 'GET', path: '/live', query: '', headers, sourceIp: '203.0.113.9' };
    socket.destroy();
    expect(await served.api.upgrade(asked, { message, socket, head: Buffer.alloc(0) })).toBeUndefined();
    await until(() => events.length === 2);
    expect(events[1]?.requestContext).toMatchObject({ eventType: 'DISCONNECT', disconnectStatusCode: 1006 });
  });

  test('logs no query and no header', async () => {
    await serve(() => null);
    await expect(served.connect('?token=s3cret', { headers: { Authorization: 's3cret' } })).rejects.toThrow();
    expect(served.log).toHaveLength(1);
    expect(served.log.join()).not.toContain('s3cret');
  });
});

describe('The @connections of a WebSocket API', () => {
  let served: ServedApi;
  const ended: Event[] = [];
  let lastId = '';
  const routes = {
    $connect: ({ requestContext }: Event) => ((lastId = requestContext.connectionId), { statusCode: 200 }),
    $disconnect: (event: Event) => (ended.push(event), { statusCode: 200 }),
  };
  const serve = async (options: Partial<ServedOptions> = {}) => (served = await serveApi({ routes, ...options }));
  const opened = async () => ({
    socket: await served.connect('', { headers: { 'User-Agent': 'partner/1' } }),
    id: lastId,
  });
  const post = (ConnectionId: string, Data: string | Uint8Array) => new PostToConnectionCommand({ ConnectionId, Data });

  beforeEach(() => (ended.length = 0));
  afterEach(() => served.stop());

  test('post text to the client, in order', async () => {
    await serve();
    const { socket, id } = await opened();
    const received = nextMessages(socket, 3);
    const client = served.management();
    for (const text of ['1', 'zwei ü', '3']) await client.send(post(id, text));
    expect(await received).toEqual(['1', 'zwei ü', '3']);
  });

  test('return connection details', async () => {
    await serve();
    const { id } = await opened();
    const { ConnectedAt, LastActiveAt, Identity } = await served
      .management()
      .send(new GetConnectionCommand({ ConnectionId: id }));
    expect(Identity).toEqual({ SourceIp: '203.0.113.9', UserAgent: 'partner/1' });
    expect(LastActiveAt?.getTime()).toBeGreaterThanOrEqual(ConnectedAt?.getTime() ?? Infinity);
  });

  test('close a connection, and answer 410 afterwards', async () => {
    await serve();
    const { socket, id } = await opened();
    const closed = closing(socket);
    const client = served.management();
    await client.send(new DeleteConnectionCommand({ ConnectionId: id }));
    await expect(client.send(post(id, 'late'))).rejects.toMatchObject({ name: 'GoneException' });
    expect((await closed).code).toBe(1000);
    await until(() => ended.length === 1);
    expect(ended[0]).toMatchObject({
      headers: { 'x-api-key': '', 'x-restapi': '' },
      requestContext: {
        routeKey: '$disconnect',
        eventType: 'DISCONNECT',
        connectionId: id,
        disconnectStatusCode: 1000,
        disconnectReason: 'Connection Closed Normally',
      },
    });
  });

  test('answer 410 GoneException for an unknown connection', async () => {
    await serve();
    const gone = { name: 'GoneException', $metadata: { httpStatusCode: 410 } };
    for (const command of [post('nobody=', 'x'), new DeleteConnectionCommand({ ConnectionId: 'nobody=' })]) {
      await expect(served.management().send(command as typeof command & PostToConnectionCommand)).rejects.toMatchObject(
        gone,
      );
    }
  });

  test('answer 410 GoneException inside $connect', async () => {
    let name = '';
    const early = async ({ requestContext }: Event) => {
      const error: unknown = await served
        .management()
        .send(post(requestContext.connectionId, 'x'))
        .catch((thrown: unknown) => thrown);
      name = (error as Error).name;
      return { statusCode: 200 };
    };
    await serve({ routes: { $connect: early } });
    await served.connect();
    expect(name).toBe('GoneException');
  });

  test('accept 128 KB and answer 413 PayloadTooLargeException for more', async () => {
    await serve();
    const { socket, id } = await opened();
    const received = nextMessages(socket, 1);
    await served.management().send(post(id, 'x'.repeat(128 * 1024)));
    expect((await received)[0]).toHaveLength(128 * 1024);
    await expect(served.management().send(post(id, 'x'.repeat(128 * 1024 + 1)))).rejects.toMatchObject({
      name: 'PayloadTooLargeException',
      $metadata: { httpStatusCode: 413 },
    });
  });

  test('answer 429 LimitExceededException for a client that never reads, and serve others', async () => {
    await serve({ limits: { bufferedBytes: 1024 } });
    const stuck = await opened();
    const neighbour = await opened();
    stuck.socket.pause();
    const client = served.management();
    const fill = async () => {
      for (;;) await client.send(post(stuck.id, 'x'.repeat(100_000)));
    };
    await expect(fill()).rejects.toMatchObject({ name: 'LimitExceededException', $metadata: { httpStatusCode: 429 } });
    const received = nextMessages(neighbour.socket, 1);
    await client.send(post(neighbour.id, 'still here'));
    expect(await received).toEqual(['still here']);
  });

  test.each(['', '/live', '/any/thing'])('accept the path prefix %j', async (before) => {
    await serve();
    const { socket, id } = await opened();
    const received = nextMessages(socket, 1);
    const call = { service: 'execute-api', headers: {}, method: 'POST', body: Buffer.from('here') };
    const path = `${before}/@connections/${encodeURIComponent(id)}`;
    expect((await served.api.answer({ ...call, path })).status).toBe(200);
    expect(await received).toEqual(['here']);
  });

  test.each(['/', '/live/@connections/', '/%zz/@connections/x', '/@connections/a/b'])(
    'refuse the path %s',
    async (path) => {
      await serve();
      const call = { service: 'execute-api', headers: {}, method: 'POST', body: Buffer.from('x'), path };
      expect((await served.api.answer(call)).status).toBe(403);
    },
  );

  test('need execute-api:ManageConnections on the connection of the stage', async () => {
    await serve();
    const { socket, id } = await opened();
    const allow = (Resource: string) => ({
      Statement: { Effect: 'Allow', Action: 'execute-api:ManageConnections', Resource },
    });
    const stage = `arn:aws:execute-api:eu-central-1:000000000000:${served.apiId}/live`;
    const received = nextMessages(socket, 1);
    const poster = served.management(allow(`${stage}/POST/@connections/*`));
    await poster.send(post(id, 'allowed'));
    expect(await received).toEqual(['allowed']);
    await expect(poster.send(new DeleteConnectionCommand({ ConnectionId: id }))).rejects.toThrow('is not authorized');
    const stranger = served.management(allow('arn:aws:execute-api:eu-central-1:000000000000:other/live/*'));
    await expect(stranger.send(post(id, 'x'))).rejects.toThrow(`${stage}/POST/@connections/${id}`);
    await expect(stranger.send(post('gone', 'x'))).rejects.toThrow(`${stage}/POST/@connections/gone`);
  });

  test('reach 1,000 sockets', async () => {
    const ids: string[] = [];
    const $connect = ({ requestContext }: Event) => (ids.push(requestContext.connectionId), { statusCode: 200 });
    await serve({ routes: { $connect }, limits: { connectionsPerSecond: 1_000 } });
    const sockets = [];
    for (let count = 0; count < 1_000; count += 50) {
      sockets.push(...(await Promise.all(Array.from({ length: 50 }, () => served.connect()))));
    }
    const received = Promise.all(sockets.map((socket) => nextMessages(socket, 1)));
    const client = served.management();
    await Promise.all(ids.map((id) => client.send(post(id, id))));
    expect((await received).flat().sort()).toEqual([...ids].sort());
  });
});

describe('The end of a connection', () => {
  let served: ServedApi;
  const ended: Event[] = [];
  const routes = {
    $disconnect: (event: Event) => (ended.push(event), { statusCode: 200 }),
    talk: () => ({ statusCode: 200, body: 'received' }),
  };
  const last = async () => {
    await until(() => ended.length === 1);
    const context = ended[0]?.requestContext;
    return { code: context?.disconnectStatusCode, reason: context?.disconnectReason };
  };

  beforeEach(() => (ended.length = 0));
  afterEach(() => served.stop());

  test('invokes $disconnect with the code and reason of the client', async () => {
    served = await serveApi({ routes });
    (await served.connect()).close(4001, 'enough');
    expect(await last()).toEqual({ code: 4001, reason: 'enough' });
    expect(served.api.connectionCount).toBe(0);
  });

  test('invokes $disconnect with API Gateway’s reason when the client gives no code', async () => {
    served = await serveApi({ routes });
    (await served.connect()).close();
    expect(await last()).toEqual({ code: 1005, reason: 'Client-side close frame status not set' });
  });

  test('invokes $disconnect with 1006 when the TCP connection is lost', async () => {
    served = await serveApi({ routes });
    (await served.connect()).terminate();
    expect((await last()).code).toBe(1006);
  });

  test('comes after the idle limit', async () => {
    served = await serveApi({ routes, limits: { idleMs: 60 } });
    const socket = await served.connect();
    expect(await closing(socket)).toEqual({ code: 1001, reason: 'Going away' });
    expect(await last()).toEqual({ code: 1001, reason: 'Going away' });
  });

  test('is postponed by every message', async () => {
    // HTTP and WebSockets need the functions that are not faked.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      served = await serveApi({ routes, answering: ['talk'], limits: { idleMs: 1000 } });
      const socket = await served.connect();
      const closed = closing(socket);
      for (let count = 0; count < 3; count++) {
        await jest.advanceTimersByTimeAsync(999);
        socket.send('{"action":"talk"}');
        await nextMessages(socket, 1);
      }
      await jest.advanceTimersByTimeAsync(999);
      expect(ended).toEqual([]);
      await jest.advanceTimersByTimeAsync(1);
      expect((await closed).code).toBe(1001);
    } finally {
      jest.useRealTimers();
    }
  });

  test('comes after the maximum duration in spite of messages', async () => {
    served = await serveApi({ routes, answering: ['talk'], limits: { durationMs: 100 } });
    const socket = await served.connect();
    const timer = setInterval(() => socket.send('{"action":"talk"}'), 10);
    expect((await closing(socket)).code).toBe(1001);
    clearInterval(timer);
    expect((await last()).code).toBe(1001);
  });

  test('comes for every connection when the API stops, and waits for $disconnect', async () => {
    served = await serveApi({ routes });
    const sockets = [await served.connect(), await served.connect()];
    const closed = Promise.all(sockets.map(closing));
    await served.api.stop?.();
    expect(ended).toHaveLength(2);
    expect((await closed).map(({ code }) => code)).toEqual([1001, 1001]);
  });
});

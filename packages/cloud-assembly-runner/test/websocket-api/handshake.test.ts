import { IncomingMessage, request } from 'node:http';
import { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { serveApi, type Event, type Handler, type ServedApi } from './served-api';
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

import { PassThrough } from 'node:stream';
import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import fc from 'fast-check';
import { createMeter } from '../../billing/meter';
import { FunctionError } from '../../lambda';
import { closing, nextMessage, nextMessages, serveApi, type Event, type ServedApi } from './served-api';
import { until } from '../until';
import { limitedQuotas } from '../limited-quotas';
import { watchFrames } from '../../websocket-api/connection';

describe('Messages to a WebSocket API', () => {
  let served: ServedApi;
  const seen: Event[] = [];
  const note = (event: Event) => (seen.push(event), { statusCode: 200, body: 'noted' });

  beforeEach(() => (seen.length = 0));
  afterEach(() => served.stop());

  const routes = {
    $connect: () => ({ statusCode: 200 }),
    $disconnect: note,
    $default: note,
    ping: (event: Event) => ({
      statusCode: 200,
      body: JSON.stringify({ type: 'pong', to: event.requestContext.routeKey }),
    }),
    fail: () => {
      throw new FunctionError('Error', 'broken');
    },
    silent: note,
  };

  test('go to the route of their action, whose response is returned', async () => {
    served = await serveApi({ routes, answering: ['ping'] });
    const socket = await served.connect();
    socket.send('{"action":"ping"}');
    expect(await nextMessage(socket)).toEqual({ type: 'pong', to: 'ping' });
  });

  test.each([
    ['the region', {}, 'transfer:bytesOut'],
    ['CloudFront', { Via: '1.1 d1.cloudfront.net (CloudFront)' }, 'cloudfront:bytesOut'],
  ])('are charged in steps of 32 KB in both directions, and as data from %s', async (_, headers, transfer) => {
    const meter = createMeter();
    served = await serveApi({ routes, answering: ['ping'], meter });
    const socket = await served.connect('', { headers });
    socket.send('{"action":"ping"}');
    await nextMessage(socket);
    socket.send(JSON.stringify({ action: 'silent', text: 'x'.repeat(30_000) }));
    await until(() => seen.length === 1);
    const ConnectionId = seen[0]?.requestContext.connectionId;
    const received = nextMessages(socket, 1);
    const allowed = { Statement: { Effect: 'Allow', Action: 'execute-api:*', Resource: '*' } };
    await served
      .management(allowed)
      .send(new PostToConnectionCommand({ ConnectionId, Data: Buffer.from('x'.repeat(33_000)) }));
    await received;
    expect(meter.usage()['fan-out']).toEqual({ 'websocket:messages': 2, [transfer]: 33_000 });
    expect(meter.usage()['clients']).toMatchObject({
      'websocket:messages': 3,
      'websocket:minutes': expect.any(Number) as number,
    });
  });

  test('count as account requests in both directions', async () => {
    served = await serveApi({ routes, quotas: limitedQuotas({ apiGatewayRequests: 2 }) });
    const socket = await served.connect();
    socket.send('{"action":"silent"}');
    await until(() => seen.length === 1);
    const answer = nextMessage(socket);
    socket.send('{"action":"silent"}');
    expect(await answer).toMatchObject({ message: 'Too Many Requests' });
    const ConnectionId = seen[0]?.requestContext.connectionId;
    const post = served.management().send(new PostToConnectionCommand({ ConnectionId, Data: Buffer.from('a') }));
    await expect(post).rejects.toMatchObject({ name: 'LimitExceededException', $metadata: { httpStatusCode: 429 } });
  });

  test('invoke the function with the event that API Gateway sends', async () => {
    served = await serveApi({ routes });
    const socket = await served.connect('', { headers: { 'User-Agent': 'partner/1' } });
    socket.send('{"action":"silent","id":7}');
    await until(() => seen.length === 1);
    expect(seen[0]).toEqual({
      requestContext: {
        routeKey: 'silent',
        eventType: 'MESSAGE',
        messageId: expect.any(String) as unknown,
        extendedRequestId: expect.any(String) as unknown,
        requestTime: expect.any(String) as unknown,
        messageDirection: 'IN',
        stage: 'live',
        connectedAt: expect.any(Number) as unknown,
        requestTimeEpoch: expect.any(Number) as unknown,
        identity: { sourceIp: '203.0.113.9', userAgent: 'partner/1' },
        requestId: expect.any(String) as unknown,
        domainName: expect.any(String) as unknown,
        connectionId: expect.any(String) as unknown,
        apiId: served.apiId,
      },
      isBase64Encoded: false,
      body: '{"action":"silent","id":7}',
    });
  });

  test('get no response from a route without a route response', async () => {
    served = await serveApi({ routes, answering: ['ping'] });
    const socket = await served.connect();
    const answers = nextMessages(socket, 1);
    socket.send('{"action":"silent"}');
    await until(() => seen.length === 1);
    socket.send('{"action":"ping"}');
    expect((await answers)[0]).toContain('pong');
  });

  test.each([
    'no json',
    '',
    '[]',
    'null',
    '{"action":{}}',
    '{"action":"unknown"}',
    '{"__proto__":{"action":"silent"}}',
  ])('without a known route, such as %j, go to $default', async (text) => {
    served = await serveApi({ routes });
    const socket = await served.connect();
    socket.send(text);
    await until(() => seen.length === 1);
    expect(seen[0]).toMatchObject({ body: text, requestContext: { routeKey: '$default' } });
  });

  test.each(['$connect', '$disconnect'])('can’t select the route %s', async (action) => {
    served = await serveApi({ routes });
    const socket = await served.connect();
    socket.send(JSON.stringify({ action }));
    await until(() => seen.length === 1);
    expect(seen[0]?.requestContext).toMatchObject({ routeKey: '$default', eventType: 'MESSAGE' });
  });

  test.each([
    ['Forbidden', 'without a matching route', 'junk', { ping: routes.ping }],
    ['Internal server error', 'when the function fails', '{"action":"fail"}', routes],
  ])('are answered %s %s, and the socket stays open', async (message, _when, sent, withRoutes) => {
    served = await serveApi({ routes: withRoutes, answering: ['ping'] });
    const socket = await served.connect();
    socket.send(sent);
    expect(await nextMessage(socket)).toEqual({
      message,
      connectionId: expect.any(String) as unknown,
      requestId: expect.any(String) as unknown,
    });
    socket.send('{"action":"ping"}');
    expect(await nextMessage(socket)).toMatchObject({ type: 'pong' });
  });

  test('beyond the throttle of the stage are answered Too Many Requests', async () => {
    const settings = { RouteSettings: { ping: { ThrottlingRateLimit: 0.001, ThrottlingBurstLimit: 1 } } };
    served = await serveApi({ routes, answering: ['ping'], settings });
    const socket = await served.connect();
    const answers = nextMessages(socket, 2);
    socket.send('{"action":"ping"}');
    socket.send('{"action":"ping"}');
    expect((await answers).join()).toContain('Too Many Requests');
  });

  test('are processed concurrently, up to the limit per connection', async () => {
    let running = 0;
    let most = 0;
    const slow = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return { statusCode: 200, body: 'done' };
    };
    served = await serveApi({ routes: { slow }, answering: ['slow'], limits: { messagesInFlight: 3 } });
    const socket = await served.connect();
    const answers = nextMessages(socket, 20);
    for (let count = 0; count < 20; count++) socket.send('{"action":"slow"}');
    expect(await answers).toHaveLength(20);
    expect(most).toBe(3);
  });

  test('in fragments are reassembled', async () => {
    served = await serveApi({ routes });
    const socket = await served.connect();
    socket.send('{"action":', { fin: false });
    socket.send('"silent"}', { fin: true });
    await until(() => seen.length === 1);
    expect(seen[0]?.body).toBe('{"action":"silent"}');
  });

  test('of 128 KB in frames of 32 KB arrive whole', async () => {
    served = await serveApi({ routes });
    const socket = await served.connect();
    const part = 'x'.repeat(32 * 1024);
    for (const fin of [false, false, false, true]) socket.send(part, { fin });
    await until(() => seen.length === 1);
    expect(seen[0]?.body).toHaveLength(128 * 1024);
  });

  const part = 'x'.repeat(32 * 1024);
  test.each([
    ['in a frame of more than 32 KB', 1009, [`${part}y`]],
    ['of more than 128 KB', 1009, [part, part, part, part, 'y']],
  ])('%s close the socket with %d', async (_what, code, parts) => {
    served = await serveApi({ routes });
    const [socket, neighbour] = [await served.connect(), await served.connect()];
    const closed = closing(socket);
    parts.forEach((one, index) => socket.send(one, { fin: index === parts.length - 1 }));
    expect((await closed).code).toBe(code);
    await until(() => seen.length === 1);
    expect(seen[0]?.requestContext).toMatchObject({ eventType: 'DISCONNECT', disconnectStatusCode: code });
    expect(neighbour.readyState).toBe(neighbour.OPEN);
  });

  test('in binary close the socket with 1003', async () => {
    served = await serveApi({ routes });
    const socket = await served.connect();
    socket.send(Buffer.from([1, 2, 3]));
    expect((await closing(socket)).code).toBe(1003);
    await until(() => seen.length === 1);
    expect(seen.map(({ requestContext }) => requestContext.eventType)).toEqual(['DISCONNECT']);
  });

  test.each([
    ['a reserved opcode', Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
    ['text that is not UTF-8', Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]), 1007],
    ['a frame without a mask', Buffer.from([0x81, 0x01, 0x61]), 1002],
    ['a length of 2^63 - 1', Buffer.from([0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0]), 1009],
  ])('that are invalid, such as %s, close their socket only', async (_what, bytes, code) => {
    served = await serveApi({ routes, answering: ['ping'] });
    const [junk, neighbour] = [await served.connect(), await served.connect()];
    const closed = closing(junk);
    const { _socket: raw } = junk as unknown as { _socket: { write(bytes: Buffer): void } };
    raw.write(bytes);
    expect((await closed).code).toBe(code);
    await until(() => seen.length === 1);
    expect(seen[0]?.requestContext.disconnectStatusCode).toBe(code);
    neighbour.send('{"action":"ping"}');
    expect(await nextMessage(neighbour)).toMatchObject({ type: 'pong' });
  });
});

/** A masked frame. */
function frame(length: number): Buffer {
  const extended = length > 0xffff ? 8 : length > 125 ? 2 : 0;
  const bytes = Buffer.alloc(2 + extended + 4 + length, 0xff);
  bytes[0] = 0x81;
  bytes[1] = 0x80 | (extended === 8 ? 127 : extended === 2 ? 126 : length);
  if (extended === 8) bytes.writeBigUInt64BE(BigInt(length), 2);
  if (extended === 2) bytes.writeUInt16BE(length, 2);
  return bytes;
}

/** Number of `onTooLong` calls for these frames in chunks of these sizes. */
async function calls(lengths: number[], sizes: number[], limit: number): Promise<number> {
  const source = new PassThrough();
  let count = 0;
  watchFrames(source, limit, () => count++);
  source.resume();
  let left = Buffer.concat(lengths.map(frame));
  for (let turn = 0; left.length > 0; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    source.write(left.subarray(0, size));
    left = left.subarray(size);
    await new Promise(setImmediate);
  }
  return count;
}

describe('The frame limit', () => {
  const chunks = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 });

  test('accepts frames within the limit, for any chunks', async () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lengths, chunks, async (frames, sizes) => {
        expect(await calls(frames, sizes, 300)).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  test('reports a frame that is too long once, at any position and for any chunks', async () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 3 });
    const tooLong = fc.constantFrom(201, 0xffff, 0x1_0000);
    const big = fc.array(fc.integer({ min: 500, max: 9_000 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(lengths, tooLong, lengths, big, async (before, long, after, sizes) => {
        expect(await calls([...before, long, ...after], sizes, 200)).toBe(1);
      }),
      { numRuns: 50 },
    );
  });
});

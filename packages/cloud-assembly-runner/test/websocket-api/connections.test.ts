import {
  DeleteConnectionCommand,
  GetConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { closing, nextMessages, serveApi, type Event, type ServedApi, type ServedOptions } from './served-api';
import { until } from '../until';

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

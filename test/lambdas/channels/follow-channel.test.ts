import { BatchGetCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { claims, keys, openIssuer, sign } from '../fixtures/issuer';
import { scopes } from '../../../contract/terms/scopes';
import { channels, channelKinds } from '../../../contract/channels/status-channels';
import { HANDSHAKES_PER_MINUTE } from '../../../contract/terms/rates';
import { listenersKey } from '../../../data/channels/listeners';
import { jobToItem } from '../../../data/jobs/jobs';
import { LONGEST_CONNECTION_S } from '../../../domain/channels/longest-connection';
import { handler } from '../../../lambdas/channels/connect.lambda';
import { snapshotRequests, lambda } from '../../data/fixtures/snapshot-function';
import { storeOnEngine } from '../../data/fixtures/engine';
import { conditionFailed, sent, store } from '../../data/fixtures/store';
import { acme, id, rival, sampleJob, sampleShare, partner } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';
import { throughCloudFront } from '../fixtures/api-gateway';

const allScopes = claims(...scopes);
let key: Awaited<ReturnType<typeof openIssuer>>;
let token: string;
beforeAll(async () => {
  key = await openIssuer();
  token = await sign(key, allScopes);
});
const engine = storeOnEngine('connections');
beforeEach(() => {
  for (const TableName of ['fleet', 'jobs', 'shares']) store.on(UpdateCommand, { TableName }).resolves({});
  store.on(GetCommand, { TableName: 'partners' }).resolves({ Item: partner });
  store.on(UpdateCommand, { TableName: 'requests' }).resolves({ Attributes: { calls: 1 } });
  store.on(GetCommand, { TableName: 'jobs' }).resolves({ Item: jobToItem(acme, sampleJob()) });
  const share = { ...sampleShare({ expiresAt: '2999-01-01T00:00:00.000Z' }), organisation: acme };
  store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: share });
  const group = { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' };
  store.on(BatchGetCommand).resolves({ Responses: { fleet: [group] } });
});

interface Handshake {
  readonly query?: Record<string, string> | null;
  readonly headers?: Record<string, string>;
}

/** Status of a handshake; by default for the sample job, with a valid token. */
async function handshake({ query, headers = { Authorization: `Bearer ${token}` } }: Handshake = {}) {
  const { statusCode } = await handler({
    headers: { ...throughCloudFront, ...headers },
    queryStringParameters: query === undefined ? { channel: 'job', id: id('job') } : query,
    requestContext: { connectionId: 'socket-1', requestId: 'request-1' },
  } as never);
  return statusCode;
}
const stored = () => store.commandCalls(PutCommand).map(({ args: [{ input }] }) => input.Item);

/** Part of the final message by kind of channel; a device group has none. */
const finalMessages = { job: '"deleted":true', share: '"shareState":"REVOKED"', group: undefined };

test('the organisation of a follower is noted before the snapshot is made, for as long as the connection may last', async () => {
  const jobId = id('job', rival);
  store.on(GetCommand, { TableName: 'partners' }).resolves({ Item: { ...partner, organisation: rival } });
  store.on(GetCommand, { TableName: 'jobs' }).resolves({ Item: jobToItem(rival, { ...sampleJob(), jobId }) });
  const seconds = Math.floor(Date.now() / 1000);
  let noted: unknown;
  lambda.callsFake(async () => {
    noted = await engine.get('connections', listenersKey(rival));
    return {};
  });
  await expect(handshake({ query: { channel: 'job', id: jobId } })).resolves.toBe(200);
  const { socketsUntil, topicUntil } = noted as Record<string, unknown>;
  expect(socketsUntil).toBeGreaterThanOrEqual(seconds + LONGEST_CONNECTION_S);
  expect(topicUntil).toBeUndefined();
});

describe.each(channelKinds)('Following a %s', (kind) => {
  const query = { channel: kind, id: id(kind) };

  test('stores the connection until the token expires', async () => {
    await expect(handshake({ query })).resolves.toBe(200);
    expect(stored()).toEqual([
      expect.objectContaining({
        channel: `${kind}#${id(kind)}`,
        connectionId: 'socket-1',
        clientId: 'client1',
        expiresAt: allScopes.exp,
        bufferingSince: expect.any(Number) as number,
      }),
    ]);
  });

  test('requests the snapshot by an invocation of its own, with the final message in case the resource is deleted', async () => {
    await handshake({ query });
    expect(snapshotRequests()).toEqual([
      {
        kind: 'channel',
        connection: {
          channel: `${kind}#${id(kind)}`,
          connectionId: 'socket-1',
          clientId: 'client1',
          openedAt: expect.any(Number) as number,
          expiresAt: allScopes.exp,
        },
        ...(finalMessages[kind] !== undefined && { end: expect.stringContaining(finalMessages[kind]) as string }),
        isUnnoticed: kind !== 'share',
      },
    ]);
  });

  test('is noted after it is stored, unless the channel has no positions', async () => {
    await handshake({ query });
    const updates = store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input);
    const noted = updates
      .filter(({ TableName }) => TableName !== 'connections')
      .map((one) => Object.keys(one.ExpressionAttributeValues ?? {}));
    expect(noted.filter((values) => values.includes(':socketsUntil'))).toHaveLength(kind === 'share' ? 0 : 1);
  });

  test.each(scopes)('needs the scope of the channel: %s alone', async (scope) => {
    const headers = { Authorization: `Bearer ${await sign(key, claims(scope))}` };
    const isTheOne = scope === channels[kind].scope;
    await expect(handshake({ query, headers })).resolves.toBe(isTheOne ? 200 : 403);
    expect(stored()).toHaveLength(isTheOne ? 1 : 0);
  });

  test('is refused with 404 when the resource does not exist, without a read when the identifier is invalid', async () => {
    store.on(GetCommand, { TableName: 'jobs' }).resolves({});
    store.on(GetCommand, { TableName: 'shares' }).resolves({});
    store.on(BatchGetCommand).resolves({ Responses: { fleet: [] } });
    await expect(handshake({ query })).resolves.toBe(404);
    store.resetHistory();
    await expect(handshake({ query: { channel: kind, id: 'odd' } })).resolves.toBe(404);
    expect(sent()).toMatchObject([{ TableName: 'partners' }, { TableName: 'requests' }]);
  });
});

test("following another organisation's job is refused with 403", async () => {
  store
    .on(GetCommand, { TableName: 'jobs' })
    .resolves({ Item: jobToItem(rival, sampleJob({ jobId: id('job', rival) })) });
  await expect(handshake({ query: { channel: 'job', id: id('job', rival) } })).resolves.toBe(403);
});

test('a connection expires after the two hours of API Gateway when its token lasts longer', async () => {
  const now = Math.floor(Date.now() / 1000);
  const long = await sign(key, { ...allScopes, exp: now + 86_400 });
  await handshake({ headers: { Authorization: `Bearer ${long}` } });
  expect(stored()[0]?.['expiresAt']).toBeLessThanOrEqual(now + 7205);
  expect(stored()[0]?.['expiresAt']).toBeGreaterThanOrEqual(now + 7200);
});

describe('The token', () => {
  test('may be in the query, and is taken from the header first', async () => {
    const query = { channel: 'job', id: id('job') };
    await expect(handshake({ query: { ...query, token }, headers: {} })).resolves.toBe(200);
    await expect(handshake({ query: { ...query, token: 'x' } })).resolves.toBe(200);
    const headers = { authorization: 'bearer x' };
    await expect(handshake({ query: { ...query, token }, headers })).resolves.toBe(401);
  });

  test.each([
    ['no header', {}],
    ['an empty one', { Authorization: '' }],
    ['another scheme', { Authorization: 'Basic eDp5' }],
    ['nothing after the scheme', { Authorization: 'Bearer ' }],
    ['nonsense', { Authorization: 'Bearer x' }],
  ])('is missing with %s: 401 without a read', async (_, headers) => {
    await expect(handshake({ headers })).resolves.toBe(401);
    await expect(handshake({ headers, query: null })).resolves.toBe(401);
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test.each([
    ['suspended', { ...partner, status: 'suspended' }],
    ['unknown', undefined],
  ])('of a partner that is %s is refused with 403', async (_, Item) => {
    store.on(GetCommand, { TableName: 'partners' }).resolves(Item ? { Item } : {});
    await expect(handshake()).resolves.toBe(403);
  });

  test.each<[string, number, Handshake, object]>([
    ['is accepted', 200, {}, { clientId: 'client1' }],
    ['is refused', 404, { query: { channel: 'job', id: 'odd' } }, { clientId: 'client1' }],
    ['has no valid token', 401, { headers: { Authorization: 'Bearer x' } }, {}],
  ])('names its client in the log when the handshake %s', async (_, status, given, client) => {
    await expect(handshake(given)).resolves.toBe(status);
    const [{ clientId, ...line } = {}] = logLines();
    expect([line, { ...(clientId !== undefined && { clientId }) }]).toMatchObject([
      { message: 'handshake', status },
      client,
    ]);
    expect(Object.keys(client).length > 0).toBe(clientId !== undefined);
  });

  test('is in no log, whether sent in the header or in the query', async () => {
    await handshake();
    await handshake({ query: { channel: 'job', id: id('job'), token }, headers: {} });
    await handshake({ query: { channel: 'job', id: 'odd', token: 'secret-token' }, headers: {} });
    expect(logLines()).toMatchObject([{ status: 200 }, { status: 200 }, { status: 401 }]);
    for (const secret of [token, 'secret-token']) expect(written.join()).not.toContain(secret);
  });
});

test.each([{ channel: 'device', id: id('device') }, { channel: 'job' }, { channel: 'job', id: '' }, { id: id('job') }])(
  'a path with the parameters %j is no channel: 404',
  async (query) => {
    await expect(handshake({ query })).resolves.toBe(404);
  },
);

/** The item of the client's seats. */
const seatsItem = { channel: 'client#client1', connectionId: 'client#client1' };
const givenSeats = (count: number) =>
  engine.put('connections', {
    ...seatsItem,
    seats: new Set(Array.from({ length: count }, (_, index) => `4000000000 1 other-${index}`)),
  });

test('a client at its connection limit is refused with 429, logged as information', async () => {
  await givenSeats(49);
  await expect(handshake()).resolves.toBe(200);
  await givenSeats(50);
  await expect(handshake()).resolves.toBe(429);
  expect(logLines()).toMatchObject([{ status: 200 }, { level: 'INFO', status: 429 }]);
});

test('a client with too many handshakes in a minute is refused with 429 before the channel is read or a seat is taken', async () => {
  // A client of its own: an instance caches clients whose window is exhausted.
  const headers = { Authorization: `Bearer ${await sign(key, { ...allScopes, client_id: 'restless' })}` };
  store.on(UpdateCommand, { TableName: 'requests' }).resolvesOnce({ Attributes: { calls: HANDSHAKES_PER_MINUTE } });
  await expect(handshake({ headers })).resolves.toBe(200);
  store.resetHistory();
  store.on(UpdateCommand, { TableName: 'requests' }).rejects(conditionFailed({ calls: HANDSHAKES_PER_MINUTE }));
  await expect(handshake({ headers })).resolves.toBe(429);
  expect(sent()).toMatchObject([{ TableName: 'partners' }, { TableName: 'requests' }]);
});

test.each([
  [240, 200],
  [241, 429],
])('the handshake number %d of a client with its own limit of 240 is answered with %d', async (calls, status) => {
  const Item = { ...partner, limits: { 'WebSocket handshake': 240 } };
  store.on(GetCommand, { TableName: 'partners' }).resolves({ Item });
  store.on(UpdateCommand, { TableName: 'requests' }).resolves({ Attributes: { calls } });
  const headers = { Authorization: `Bearer ${await sign(key, { ...allScopes, client_id: 'generous' })}` };
  await expect(handshake({ headers })).resolves.toBe(status);
});

describe('A handshake that fails after it has taken a seat', () => {
  /** The client's seats and the connections, at the moment when the handshake fails and after it. */
  const rolledBack = async (failing: (fail: () => Promise<never>) => unknown) => {
    let before: unknown[] = [];
    failing(async () => {
      before = await engine.all('connections');
      throw new Error('throttled');
    });
    await expect(handshake()).resolves.toBe(500);
    const { seats, ...item } = (await engine.get('connections', seatsItem)) ?? {};
    expect(seats).toBeUndefined();
    expect(await engine.all('connections')).toEqual([item]);
    return before.map((each) => Object.keys(each as object).includes('seats'));
  };
  const writes = () =>
    store
      .calls()
      .map(({ args: [command] }) => command)
      .filter(({ constructor: { name } }) => !/^(Get|BatchGet)/.test(name))
      .filter(({ input }) => (input as { TableName?: string }).TableName === 'connections')
      .map(({ constructor: { name } }) => name);

  test('releases the seat when the connection cannot be stored', async () => {
    const before = await rolledBack((fail) => store.on(PutCommand).callsFake(fail));
    expect(before).toEqual([true]);
    expect(writes()).toEqual(['UpdateCommand', 'PutCommand', 'UpdateCommand']);
    expect(snapshotRequests()).toEqual([]);
  });

  test('releases the seat and then deletes the connection when the snapshot cannot be requested', async () => {
    const before = await rolledBack((fail) => lambda.callsFake(fail));
    expect(before.toSorted()).toEqual([false, true]);
    expect(writes()).toEqual(['UpdateCommand', 'PutCommand', 'UpdateCommand', 'DeleteCommand']);
  });
});

test('a failing table is a 500, with the reason in the log only', async () => {
  store.on(GetCommand, { TableName: 'jobs' }).rejects(new Error('throttled'));
  await expect(handshake()).resolves.toBe(500);
  expect(logLines()).toMatchObject([{ level: 'ERROR', status: 500, error: { message: 'throttled' } }]);
  expect(keys.requested.length).toBeLessThanOrEqual(1);
});

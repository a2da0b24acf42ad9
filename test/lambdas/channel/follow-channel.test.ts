import { BatchGetCommand, GetCommand, PutCommand, UpdateCommand } from '../../../data/store/document-client';
import { claims, keys, openIssuer, sign } from '../fixtures/issuer';
import { scopes } from '../../../contract/access';
import { channels, HANDSHAKES_PER_MINUTE } from '../../../contract/channels';
import { toItem } from '../../../data/jobs/job-item';
import { channelKinds } from '../../../domain/status-event';
import { handler } from '../../../lambdas/socket/connect';
import { askedFor, greeter } from '../../data/fixtures/greeter';
import { conditionFailed, sent, store } from '../../data/fixtures/store';
import { acme, id, rival, sampleJob, sampleShare } from '../../domain/fixtures/samples';
import { logLines, written } from '../fixtures/log';
import { throughCloudFront } from '../fixtures/origin';
import { partner } from '../fixtures/partner';

const allScopes = claims(...scopes);
let key: Awaited<ReturnType<typeof openIssuer>>;
let token: string;
beforeAll(async () => {
  key = await openIssuer();
  token = await sign(key, allScopes);
});
beforeEach(() => {
  store.onAnyCommand().resolves({});
  store.on(GetCommand, { TableName: 'partners' }).resolves({ Item: partner });
  store.on(UpdateCommand, { TableName: 'requests' }).resolves({ Attributes: { calls: 1 } });
  store.on(GetCommand, { TableName: 'jobs' }).resolves({ Item: toItem(acme, sampleJob()) });
  const share = { ...sampleShare({ expiresAt: '2999-01-01T00:00:00.000Z' }), organisation: acme };
  store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: share });
  const group = { kind: 'group', deviceGroupId: id('group'), name: 'North', description: '' };
  store.on(BatchGetCommand).resolves({ Responses: { fleet: [group] } });
});

interface Handshake {
  readonly query?: Record<string, string> | null;
  readonly headers?: Record<string, string>;
}

/** Status that a handshake ends with; with a good token for the sample job if nothing else is said. */
async function shakeHands({ query, headers = { Authorization: `Bearer ${token}` } }: Handshake = {}) {
  const { statusCode } = await handler({
    headers: { ...throughCloudFront, ...headers },
    queryStringParameters: query === undefined ? { channel: 'job', id: id('job') } : query,
    requestContext: { connectionId: 'socket-1', requestId: 'request-1' },
  } as never);
  return statusCode;
}
const kept = () => store.commandCalls(PutCommand).map(({ args: [{ input }] }) => input.Item);

/** What tells that one is gone; a group of devices has no end. */
const lastWords = { job: '"deleted":true', share: '"shareState":"REVOKED"', group: undefined };

describe.each(channelKinds)('Following a %s', (kind) => {
  const query = { channel: kind, id: id(kind) };

  test('is noted, until the token ends.', async () => {
    await expect(shakeHands({ query })).resolves.toBe(200);
    expect(kept()).toEqual([
      expect.objectContaining({
        channel: `${kind}#${id(kind)}`,
        connectionId: 'socket-1',
        clientId: 'client1',
        expiresAt: allScopes.exp,
        waits: expect.any(Number) as number,
      }),
    ]);
  });

  test('has the state told by an invocation for it alone, which knows the last word should it have gone.', async () => {
    await shakeHands({ query });
    expect(askedFor()).toEqual([
      {
        kind: 'channel',
        connection: {
          ...{ channel: `${kind}#${id(kind)}`, connectionId: 'socket-1', clientId: 'client1' },
          ...{ openedAt: expect.any(Number) as number, expiresAt: allScopes.exp },
        },
        ...(lastWords[kind] !== undefined && { end: expect.stringContaining(lastWords[kind]) as string }),
      },
    ]);
  });

  test.each(scopes)('with %s alone is refused unless it is the scope of the channel.', async (scope) => {
    const headers = { Authorization: `Bearer ${await sign(key, claims(scope))}` };
    const isTheOne = scope === channels[kind].scope;
    await expect(shakeHands({ query, headers })).resolves.toBe(isTheOne ? 200 : 403);
    expect(kept()).toHaveLength(isTheOne ? 1 : 0);
  });

  test('of nobody is refused with 404, and what is no identifier without asking.', async () => {
    store.on(GetCommand, { TableName: 'jobs' }).resolves({});
    store.on(GetCommand, { TableName: 'shares' }).resolves({});
    store.on(BatchGetCommand).resolves({ Responses: { fleet: [] } });
    await expect(shakeHands({ query })).resolves.toBe(404);
    store.resetHistory();
    await expect(shakeHands({ query: { channel: kind, id: 'odd' } })).resolves.toBe(404);
    expect(sent()).toMatchObject([{ TableName: 'partners' }, { TableName: 'requests' }]);
  });
});

test("Another organisation's job is refused with 403.", async () => {
  store.on(GetCommand, { TableName: 'jobs' }).resolves({ Item: toItem(rival, sampleJob({ jobId: id('job', rival) })) });
  await expect(shakeHands({ query: { channel: 'job', id: id('job', rival) } })).resolves.toBe(403);
});

test('A connection ends with API Gateway’s two hours when its token lasts longer.', async () => {
  const now = Math.floor(Date.now() / 1000);
  const long = await sign(key, { ...allScopes, exp: now + 86_400 });
  await shakeHands({ headers: { Authorization: `Bearer ${long}` } });
  expect(kept()[0]?.['expiresAt']).toBeLessThanOrEqual(now + 7205);
  expect(kept()[0]?.['expiresAt']).toBeGreaterThanOrEqual(now + 7200);
});

describe('The token', () => {
  test('may stand in the query, and the header is taken before it.', async () => {
    const query = { channel: 'job', id: id('job') };
    await expect(shakeHands({ query: { ...query, token }, headers: {} })).resolves.toBe(200);
    await expect(shakeHands({ query: { ...query, token: 'x' } })).resolves.toBe(200);
    const headers = { authorization: 'bearer x' };
    await expect(shakeHands({ query: { ...query, token }, headers })).resolves.toBe(401);
  });

  test.each([
    ['no header', {}],
    ['an empty one', { Authorization: '' }],
    ['another scheme', { Authorization: 'Basic eDp5' }],
    ['nothing behind the scheme', { Authorization: 'Bearer ' }],
    ['nonsense', { Authorization: 'Bearer x' }],
  ])('is missing with %s: 401, and nobody is looked up.', async (_, headers) => {
    await expect(shakeHands({ headers })).resolves.toBe(401);
    await expect(shakeHands({ headers, query: null })).resolves.toBe(401);
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test.each([
    ['suspended', { ...partner, status: 'suspended' }],
    ['unknown', undefined],
  ])('of a partner that is %s is refused with 403.', async (_, Item) => {
    store.on(GetCommand, { TableName: 'partners' }).resolves(Item ? { Item } : {});
    await expect(shakeHands()).resolves.toBe(403);
  });

  test('is in no log, wherever it stood.', async () => {
    await shakeHands();
    await shakeHands({ query: { channel: 'job', id: id('job'), token }, headers: {} });
    await shakeHands({ query: { channel: 'job', id: 'odd', token: 'secret-token' }, headers: {} });
    expect(logLines()).toMatchObject([{ status: 200 }, { status: 200 }, { status: 401 }]);
    for (const secret of [token, 'secret-token']) expect(written.join()).not.toContain(secret);
  });
});

test.each([{ channel: 'device', id: id('device') }, { channel: 'job' }, { channel: 'job', id: '' }, { id: id('job') }])(
  'A path that led to %j is no channel: 404.',
  async (query) => {
    await expect(shakeHands({ query })).resolves.toBe(404);
  },
);

test('A client that has all its connections is refused with 429, which is no error of ours.', async () => {
  const held = new Set(Array.from({ length: 50 }, (_, index) => `4000000000 1 socket-${index}`));
  store.on(UpdateCommand, { TableName: 'connections' }).rejects(conditionFailed({ held }));
  await expect(shakeHands()).resolves.toBe(429);
  expect(store.commandCalls(UpdateCommand, { TableName: 'connections' })[0]?.args[0].input).toMatchObject({
    Key: { channel: 'client#client1' },
    ExpressionAttributeValues: { ':max': 50 },
  });
  expect(logLines()).toMatchObject([{ level: 'INFO', status: 429 }]);
});

test('A client with too many handshakes in a minute is refused with 429 before anything is read or taken for it.', async () => {
  // A client of its own: an instance remembers whose minute is used up.
  const headers = { Authorization: `Bearer ${await sign(key, { ...allScopes, client_id: 'restless' })}` };
  store.on(UpdateCommand, { TableName: 'requests' }).resolvesOnce({ Attributes: { calls: HANDSHAKES_PER_MINUTE } });
  await expect(shakeHands({ headers })).resolves.toBe(200);
  store.resetHistory();
  store.on(UpdateCommand, { TableName: 'requests' }).rejects(conditionFailed({ calls: HANDSHAKES_PER_MINUTE }));
  await expect(shakeHands({ headers })).resolves.toBe(429);
  expect(sent()).toMatchObject([{ TableName: 'partners' }, { TableName: 'requests' }]);
});

describe('A handshake that fails after it has taken a place', () => {
  const places = { channel: 'client#client1', connectionId: 'client#client1' };
  const writes = () =>
    store
      .calls()
      .map(({ args: [command] }) => command)
      .filter(({ constructor: { name } }) => !/^(Get|BatchGet)/.test(name))
      .filter(({ input }) => (input as { TableName?: string }).TableName === 'connections')
      .map(({ constructor: { name }, input }) => {
        const { UpdateExpression = '' } = input as { UpdateExpression?: string };
        return `${name} ${UpdateExpression.split(' ', 1)[0]}`.trim();
      });

  test('because the connection can not be noted gives it back.', async () => {
    store.on(PutCommand).rejects(new Error('throttled'));
    await expect(shakeHands()).resolves.toBe(500);
    expect(writes()).toEqual(['UpdateItemCommand ADD', 'PutItemCommand', 'UpdateItemCommand DELETE']);
    expect(askedFor()).toEqual([]);
  });

  test('because the state can not be asked for gives it back, and forgets the connection after that.', async () => {
    greeter.rejects(new Error('Rate Exceeded.'));
    await expect(shakeHands()).resolves.toBe(500);
    expect(writes()).toEqual([
      ...['UpdateItemCommand ADD', 'PutItemCommand'],
      ...['UpdateItemCommand DELETE', 'DeleteItemCommand'],
    ]);
    const [taken, given] = store
      .commandCalls(UpdateCommand, { TableName: 'connections' })
      .map(({ args: [{ input }] }) => input);
    expect(given?.Key).toEqual(places);
    expect(given?.ExpressionAttributeValues?.[':places']).toEqual(taken?.ExpressionAttributeValues?.[':place']);
  });
});

test('A store that fails is a 500, with the reason in the log only.', async () => {
  store.on(GetCommand, { TableName: 'jobs' }).rejects(new Error('throttled'));
  await expect(shakeHands()).resolves.toBe(500);
  expect(logLines()).toMatchObject([{ level: 'ERROR', status: 500, error: { message: 'throttled' } }]);
  expect(keys.asked.length).toBeLessThanOrEqual(1);
});

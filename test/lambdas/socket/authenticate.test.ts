import { DeleteConnectionCommand, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { DeleteCommand, GetCommand, QueryCommand, UpdateCommand } from '../../../data/store/document-client';
import { generateKeyPair } from 'jose';
import { claims, openIssuer, sign } from '../fixtures/issuer';
import type { Connection } from '../../../data/connections/connections';
import { handler } from '../../../lambdas/socket/authenticate';
import { id } from '../../domain/fixtures/samples';
import { connection, socketCalls, sockets } from '../../data/fixtures/sockets';
import { conditionFailed, store } from '../../data/fixtures/store';
import { givenPartner, givenViewer, refused } from '../fixtures/actions';
import { logLines, written } from '../fixtures/log';
import { partner } from '../fixtures/partner';
import { newSocket, sendMessage } from '../fixtures/socket';
import { sentTo } from '../fixtures/telemetry';

const now = Math.floor(Date.now() / 1000);
const openedAt = now - 1800;
const expiresAt = now + 100;
const lastsUntil = (seconds: number) => ({
  type: 'authenticated',
  expiresAt: new Date(seconds * 1000).toISOString(),
});
const all = ['resources:read', 'stream:publish', 'command:read', 'share:read'];

let key: Awaited<ReturnType<typeof openIssuer>>;
/** A token of the client, which lasts an hour. */
const token = (scopes: readonly string[] = all, change: object = {}) =>
  sign(key, { ...claims(...scopes), exp: now + 3600, ...change });

/** Stores a follower of a status channel. */
function givenFollower(channel = `job#${id('job')}`, change: Partial<Connection> = {}): string {
  const connectionId = newSocket();
  const item = connection({ channel, connectionId, openedAt, expiresAt, ...change });
  store.on(QueryCommand, { ExpressionAttributeValues: { ':connectionId': connectionId } }).resolves({ Items: [item] });
  return connectionId;
}
const givenTelemetry = (scopes = ['resources:read', 'stream:publish']) => givenPartner({ openedAt, expiresAt, scopes });
/** Stores two subscriptions of a telemetry socket. */
const givenSubscriptions = (connectionId: string) =>
  store.on(QueryCommand, { ExpressionAttributeValues: { ':connectionId': connectionId } }).resolves({
    Items: [`session#${connectionId}`, `telemetry#${id('device')}`, `telemetry#${id('group')}`].map((channel) =>
      connection({ channel, connectionId, session: true, openedAt, expiresAt }),
    ),
  });

const authenticate = async (socket: string, sent: unknown) =>
  sendMessage(handler, socket, { action: 'authenticate', token: await sent });

/** What was written, in order: the channel of the item and the expression. */
const writes = () =>
  store
    .commandCalls(UpdateCommand)
    .map(({ args: [{ input }] }) => [
      input.Key?.['channel'] as string,
      input.UpdateExpression,
      input.ExpressionAttributeValues,
    ]);
const deleted = () =>
  store.commandCalls(DeleteCommand).map(({ args: [{ input }] }) => input.Key?.['channel'] as string);
const expectUnchanged = () => {
  expect(writes()).toEqual([]);
  expect(deleted()).toEqual([]);
  expect(socketCalls()).toEqual([]);
};

// The verifier keeps the issuer's key after the first test.
beforeAll(async () => {
  key = await openIssuer();
});
beforeEach(() => {
  store.on(GetCommand, { TableName: 'partners' }).resolves({ Item: partner });
});

describe('authenticate on a status channel', () => {
  test.each([`job#${id('job')}`, `group#${id('group')}`, `share#${id('share')}`])(
    'lets the socket of %s last as long as the new token, by one write',
    async (channel) => {
      const socket = givenFollower(channel);
      expect(await authenticate(socket, token())).toEqual(lastsUntil(now + 3600));
      expect(writes()).toEqual([
        [channel, 'SET expiresAt = :expiresAt', { ':expiresAt': now + 3600, ':now': expect.any(Number) as number }],
      ]);
    },
  );

  test('lets it last for two hours from its handshake at most', async () => {
    const socket = givenFollower(undefined, { openedAt: now - 7000 });
    expect(await authenticate(socket, token())).toEqual(lastsUntil(now + 200));
  });

  test('lets it end earlier with a token that ends earlier', async () => {
    expect(await authenticate(givenFollower(), token(all, { exp: now + 50 }))).toEqual(lastsUntil(now + 50));
  });

  test('repeats the id of the message', async () => {
    const message = { action: 'authenticate', token: await token(), id: 7 };
    expect(await sendMessage(handler, givenFollower(), message)).toEqual({ ...lastsUntil(now + 3600), id: 7 });
  });

  test('finds a socket that the index does not have yet', async () => {
    const connectionId = newSocket();
    const item = connection({ connectionId, openedAt, expiresAt });
    store
      .on(QueryCommand, { ExpressionAttributeValues: { ':connectionId': connectionId } })
      .resolvesOnce({ Items: [] })
      .resolvesOnce({ Items: [] })
      .resolves({ Items: [item] });
    expect(await authenticate(connectionId, token())).toEqual(lastsUntil(now + 3600));
  });

  test.each([
    [`job#${id('job')}`, 'command:read'],
    [`group#${id('group')}`, 'resources:read'],
    [`share#${id('share')}`, 'share:read'],
  ])('closes the socket of %s when the token lacks its scope, and names it', async (channel, scope) => {
    const socket = givenFollower(channel);
    const narrower = token(all.filter((each) => each !== scope));
    const refusal = refused('forbidden', { path: 'token', message: `needs scope ${scope}` });
    expect(await authenticate(socket, narrower)).toEqual(refusal);
    expect(sentTo(socket)).toEqual([refusal]);
    expect(socketCalls().at(-1)).toBe(`${socket} closed`);
    expect(deleted()).toEqual([channel]);
    // The end is written before the socket is told.
    expect(writes()[0]).toMatchObject([
      channel,
      'SET expiresAt = :expiresAt',
      { ':expiresAt': expect.any(Number) as number },
    ]);
  });

  test('leaves the close to the heartbeat when API Gateway fails: the socket has expired', async () => {
    const socket = givenFollower();
    const busy = Object.assign(new Error('busy'), { name: 'LimitExceededException' });
    sockets.on(PostToConnectionCommand).rejects(busy);
    sockets.on(DeleteConnectionCommand).rejects(busy);
    expect(await authenticate(socket, token(['share:read']))).toMatchObject({ code: 'forbidden' });
    const [[, , values]] = writes() as [[string, string, Record<string, number>]];
    expect(values[':expiresAt']).toBe(values[':now']);
    expect(logLines()).toMatchObject([{ level: 'WARN', connectionId: socket }]);
  });

  test('leaves the socket as it is when the end of a narrower token cannot be written', async () => {
    const socket = givenFollower();
    store.on(UpdateCommand).rejects(new Error('throttled'));
    expect(await authenticate(socket, token(['share:read']))).toMatchObject({ code: 'internal_error' });
    expect(socketCalls()).toEqual([]);
  });
});

describe('authenticate on a telemetry socket', () => {
  test('lets the session last as long as the token, with its scopes, by one write', async () => {
    const socket = givenTelemetry(['resources:read']);
    expect(await authenticate(socket, token(['resources:read', 'stream:publish']))).toEqual(lastsUntil(now + 3600));
    expect(writes()).toEqual([
      [
        `session#${socket}`,
        'SET expiresAt = :expiresAt, scopes = :scopes',
        {
          ':expiresAt': now + 3600,
          ':now': expect.any(Number) as number,
          ':scopes': ['resources:read', 'stream:publish'],
        },
      ],
    ]);
    expect(store).not.toHaveReceivedCommand(QueryCommand);
  });

  test('ends the subscriptions when the token lacks resources:read, and says so', async () => {
    const socket = givenTelemetry();
    givenSubscriptions(socket);
    expect(await authenticate(socket, token(['stream:publish']))).toEqual({
      ...lastsUntil(now + 3600),
      subscriptionsEnded: true,
    });
    expect(deleted()).toEqual([`telemetry#${id('device')}`, `telemetry#${id('group')}`]);
    expect(socketCalls()).toEqual([]);
  });

  test('closes the socket when its subscriptions cannot be ended', async () => {
    const socket = givenTelemetry();
    givenSubscriptions(socket);
    store.on(DeleteCommand).rejectsOnce(new Error('throttled'));
    expect(await authenticate(socket, token(['stream:publish']))).toMatchObject({ code: 'internal_error' });
    expect(socketCalls()).toEqual([`${socket} closed`]);
  });

  test('closes the socket when the token has no scope of telemetry, and names them', async () => {
    const socket = givenTelemetry();
    givenSubscriptions(socket);
    const refusal = refused('forbidden', { path: 'token', message: 'needs scope stream:publish or resources:read' });
    expect(await authenticate(socket, token(['command:read']))).toEqual(refusal);
    expect(sentTo(socket)).toEqual([refusal]);
    expect(socketCalls().at(-1)).toBe(`${socket} closed`);
    expect(deleted()).toContain(`session#${socket}`);
  });
});

describe.each([
  ['a status channel', () => givenFollower()],
  ['a telemetry socket', () => givenTelemetry()],
])('authenticate on %s', (_, open) => {
  test('refuses a token of another client, and changes nothing', async () => {
    store.on(GetCommand, { Key: { clientId: 'client2' } }).resolves({ Item: { ...partner, clientId: 'client2' } });
    const message = 'is not of the client that opened the socket';
    const foreign = token(all, { client_id: 'client2' });
    expect(await authenticate(open(), foreign)).toEqual(refused('forbidden', { path: 'token', message }));
    expectUnchanged();
  });

  test.each([
    ['a foreign signature', async () => sign((await generateKeyPair('RS256')).privateKey, claims(...all))],
    ['an end in the past', () => token(all, { exp: now - 1 })],
    ['another use', () => token(all, { token_use: 'id' })],
    ['no form', () => Promise.resolve('none')],
  ])('refuses a token with %s, and changes nothing', async (_, given) => {
    expect(await authenticate(open(), given())).toEqual(refused('unauthorized'));
    expectUnchanged();
  });

  test.each([
    ['suspended', { Item: { ...partner, status: 'suspended' } }],
    ['unknown', {}],
  ])('refuses a token of a client that is %s, and changes nothing', async (_, found) => {
    store.on(GetCommand, { TableName: 'partners' }).resolves(found);
    const message = 'the client is suspended or was removed';
    expect(await authenticate(open(), token())).toEqual(refused('forbidden', { path: 'token', message }));
    expectUnchanged();
  });

  test('refuses a socket that has ended meanwhile', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    expect(await authenticate(open(), token())).toMatchObject({ code: 'unknown_action' });
    expect(socketCalls()).toEqual([]);
  });

  test.each([
    ['the renewal cannot be written', () => store.on(UpdateCommand).rejects(new Error('throttled'))],
    ['the partner cannot be read', () => store.on(GetCommand, { TableName: 'partners' }).rejects(new Error('down'))],
  ])('leaves the socket as it is when %s', async (_, fail) => {
    const socket = open();
    fail();
    expect(await authenticate(socket, token())).toMatchObject({ code: 'internal_error', requestId: 'request-1' });
    expect(socketCalls()).toEqual([]);
    expect(deleted()).toEqual([]);
  });

  test.each([[undefined], [''], [7], [null], ['x'.repeat(8193)]])('refuses an invalid token: %#', async (given) => {
    expect(await authenticate(open(), given)).toMatchObject({ code: 'invalid_request', details: [{ path: 'token' }] });
    expectUnchanged();
  });

  test('writes the token into no log and no answer, whatever becomes of it', async () => {
    const secrets = [
      await token(),
      await token(['share:manage']),
      await sign((await generateKeyPair('RS256')).privateKey, claims()),
    ];
    const answers: object[] = [];
    for (const secret of secrets) answers.push(await authenticate(open(), secret));
    store.on(UpdateCommand).rejects(new Error('throttled'));
    for (const secret of secrets) {
      answers.push(await authenticate(open(), secret));
      answers.push(await sendMessage(handler, open(), { action: 'authenticate', Token: secret }));
      answers.push(await sendMessage(handler, open(), { action: 'authenticate', token: [secret] }));
    }
    const told = JSON.stringify(answers) + written.join('');
    expect(written.join('')).toContain('action failed');
    for (const secret of secrets) for (const part of secret.split('.')) expect(told).not.toContain(part);
  });
});

test('authenticate is refused to viewers before their token is looked at', async () => {
  const refusal = refused('forbidden', { path: 'action', message: 'is not for viewers of a share' });
  expect(await authenticate(givenViewer(), token())).toEqual(refusal);
  expect(store).not.toHaveReceivedCommandWith(GetCommand, { TableName: 'partners' });
  expectUnchanged();
});

test('authenticate is unknown to a socket that does not exist', async () => {
  expect(await authenticate(newSocket(), token())).toMatchObject({ code: 'unknown_action' });
  expectUnchanged();
});

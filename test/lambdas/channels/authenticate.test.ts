import { DeleteConnectionCommand, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { DeleteCommand, QueryCommand, UpdateCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { generateKeyPair } from 'jose';
import {
  all,
  authenticate,
  engine,
  expiresAt,
  givenFollower,
  givenTelemetry,
  itemsOf,
  now,
  openedAt,
  put,
  token,
  writes,
  deleted,
} from '../fixtures/authenticate';
import { handler } from '../../../lambdas/channels/authenticate.lambda';
import { id, partner } from '../../domain/fixtures/samples';
import { connection, socketCalls, sockets } from '../../data/fixtures/sockets';
import { store, conditionFailed } from '../../data/fixtures/store';
import { refused, givenViewer } from '../fixtures/actions';
import { logLines, written } from '../fixtures/log';
import { newSocket, sendMessage } from '../fixtures/socket';
import { sentTo } from '../fixtures/telemetry';
import { claims, sign } from '../fixtures/issuer';

const lastsUntil = (seconds: number) => ({
  type: 'authenticated',
  expiresAt: new Date(seconds * 1000).toISOString(),
});
/** Stores two subscriptions of a telemetry socket. */
const givenSubscriptions = (connectionId: string) =>
  put(
    ...[id('device'), id('group')].map((each) =>
      connection({ channel: `telemetry#${each}`, connectionId, session: true, openedAt, expiresAt }),
    ),
  );

describe('authenticate on a status channel', () => {
  test.each([`job#${id('job')}`, `group#${id('group')}`, `share#${id('share')}`])(
    'lets the socket of %s last as long as the new token, by one write',
    async (channel) => {
      const socket = await givenFollower(channel);
      expect(await authenticate(socket, token())).toEqual(lastsUntil(now + 3600));
      expect(await itemsOf(socket)).toEqual([{ channel, expiresAt: now + 3600 }]);
      expect(writes()).toEqual([channel]);
    },
  );

  test('lets it last for two hours from its handshake at most', async () => {
    const socket = await givenFollower(undefined, { openedAt: now - 7000 });
    expect(await authenticate(socket, token())).toEqual(lastsUntil(now + 200));
  });

  test('lets it end earlier with a token that ends earlier', async () => {
    expect(await authenticate(givenFollower(), token(all, { exp: now + 50 }))).toEqual(lastsUntil(now + 50));
  });

  test('repeats the id of the message', async () => {
    const message = { action: 'authenticate', token: await token(), id: 7 };
    expect(await sendMessage(handler, await givenFollower(), message)).toEqual({ ...lastsUntil(now + 3600), id: 7 });
  });

  test('finds a socket that the index does not have yet', async () => {
    const connectionId = newSocket();
    await put(connection({ connectionId, openedAt, expiresAt }));
    const find = engine.answers('QueryCommand');
    const lacking = () => Promise.resolve({ Items: [] });
    store.on(QueryCommand).callsFakeOnce(lacking).callsFakeOnce(lacking).callsFake(find);
    expect(await authenticate(connectionId, token())).toEqual(lastsUntil(now + 3600));
  });

  test.each([
    [`job#${id('job')}`, 'command:read'],
    [`group#${id('group')}`, 'resources:read'],
    [`share#${id('share')}`, 'share:read'],
  ])('closes the socket of %s when the token lacks its scope, and names it', async (channel, scope) => {
    const socket = await givenFollower(channel);
    const narrower = token(all.filter((each) => each !== scope));
    const refusal = refused('forbidden', { path: 'token', message: `needs scope ${scope}` });
    const ends: number[] = [];
    sockets.on(PostToConnectionCommand).callsFake(async () => {
      for (const item of await itemsOf(socket)) ends.push(item.expiresAt);
      return {};
    });
    expect(await authenticate(socket, narrower)).toEqual(refusal);
    expect(sentTo(socket)).toEqual([refusal]);
    expect(socketCalls().at(-1)).toBe(`${socket} closed`);
    expect(await itemsOf(socket)).toEqual([]);
    // The end is written before the socket is told.
    expect(ends).toHaveLength(1);
    expect(ends[0]).toBeLessThanOrEqual(Date.now() / 1000);
  });

  test('leaves the close to the heartbeat when API Gateway fails: the socket has expired', async () => {
    const socket = await givenFollower();
    const busy = Object.assign(new Error('busy'), { name: 'LimitExceededException' });
    sockets.on(PostToConnectionCommand).rejects(busy);
    sockets.on(DeleteConnectionCommand).rejects(busy);
    expect(await authenticate(socket, token(['share:read']))).toMatchObject({ code: 'forbidden' });
    expect((await itemsOf(socket))[0]?.expiresAt).toBeLessThanOrEqual(Date.now() / 1000);
    expect(logLines()).toMatchObject([{ level: 'WARN', connectionId: socket }]);
  });

  test('leaves the socket as it is when the end of a narrower token cannot be written', async () => {
    const socket = await givenFollower();
    store.on(UpdateCommand).rejects(new Error('throttled'));
    expect(await authenticate(socket, token(['share:read']))).toMatchObject({ code: 'internal_error' });
    expect(socketCalls()).toEqual([]);
  });
});

describe('authenticate on a telemetry socket', () => {
  test('lets the session last as long as the token, with its scopes, by one write', async () => {
    const socket = await givenTelemetry(['resources:read']);
    expect(await authenticate(socket, token(['resources:read', 'stream:publish']))).toEqual(lastsUntil(now + 3600));
    expect(await itemsOf(socket)).toEqual([
      { channel: `session#${socket}`, expiresAt: now + 3600, scopes: ['resources:read', 'stream:publish'] },
    ]);
    expect(writes()).toEqual([`session#${socket}`]);
    expect(store).not.toHaveReceivedCommand(QueryCommand);
  });

  test('ends the subscriptions when the token lacks resources:read, and says so', async () => {
    const socket = await givenTelemetry();
    await givenSubscriptions(socket);
    expect(await authenticate(socket, token(['stream:publish']))).toEqual({
      ...lastsUntil(now + 3600),
      subscriptionsEnded: true,
    });
    expect((await itemsOf(socket)).map(({ channel }) => channel)).toEqual([`session#${socket}`]);
    expect(socketCalls()).toEqual([]);
  });

  test('closes the socket when its subscriptions cannot be ended', async () => {
    const socket = await givenTelemetry();
    await givenSubscriptions(socket);
    store.on(DeleteCommand).rejectsOnce(new Error('throttled'));
    expect(await authenticate(socket, token(['stream:publish']))).toMatchObject({ code: 'internal_error' });
    expect(socketCalls()).toEqual([`${socket} closed`]);
  });

  test('closes the socket when the token has no scope of telemetry, and names them', async () => {
    const socket = await givenTelemetry();
    await givenSubscriptions(socket);
    const refusal = refused('forbidden', { path: 'token', message: 'needs scope stream:publish or resources:read' });
    expect(await authenticate(socket, token(['command:read']))).toEqual(refusal);
    expect(sentTo(socket)).toEqual([refusal]);
    expect(socketCalls().at(-1)).toBe(`${socket} closed`);
    expect(await itemsOf(socket)).toEqual([]);
  });
});

describe('Authenticate refusals', () => {
  const expectUnchanged = () => {
    expect(writes()).toEqual([]);
    expect(deleted()).toEqual([]);
    expect(socketCalls()).toEqual([]);
  };

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
      expect(await authenticate(open(), given)).toMatchObject({
        code: 'invalid_request',
        details: [{ path: 'token' }],
      });
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
        answers.push(await sendMessage(handler, await open(), { action: 'authenticate', Token: secret }));
        answers.push(await sendMessage(handler, await open(), { action: 'authenticate', token: [secret] }));
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
});

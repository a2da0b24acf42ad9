import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { generateKeyPair } from 'jose';
import { claims, sign } from '../fixtures/issuer';
import {
  all,
  authenticate,
  deleted,
  givenFollower,
  givenTelemetry,
  now,
  token,
  writes,
} from '../fixtures/authenticate';
import { handler } from '../../../lambdas/channels/authenticate.lambda';
import { socketCalls } from '../../data/fixtures/sockets';
import { conditionFailed, store } from '../../data/fixtures/store';
import { givenViewer, refused } from '../fixtures/actions';
import { written } from '../fixtures/log';
import { partner } from '../fixtures/partner';
import { newSocket, sendMessage } from '../fixtures/socket';

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

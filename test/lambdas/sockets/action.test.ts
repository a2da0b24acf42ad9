import { webSocketActions, type WebSocketActionName } from '../../../contract/websocket-actions';
import { Refusal } from '../../../domain/values/refusal';
import type { PartnerSession } from '../../../data/channels/sessions';
import { answer } from '../../../lambdas/sockets/action';
import { id } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import { logLines, written } from '../fixtures/log';
import { newSocket, sendMessage } from '../fixtures/socket';
import { givenSession, partnerSession, viewerSession } from '../fixtures/telemetry';

const subscribe = { action: 'subscribe', deviceId: id('device') };
const unsubscribe = { ...subscribe, action: 'unsubscribe' };
const control = { action: 'control', command: { name: 'HOVER' } };
const publish = { action: 'publish', telemetry: { deviceId: id('device'), timestamp: '2026-11-27T10:30:15.123Z' } };
const run = jest.fn<Promise<never>, [unknown]>();
const answering = (action: WebSocketActionName) => answer(action, webSocketActions[action] as never, run);
/** A reply in place of the action's own. */
const done = { type: 'done' } as never;

/** Stores a session and returns its connection id. */
function openSocket(open: (change: { connectionId: string }) => Parameters<typeof givenSession>[0]): string {
  const connectionId = newSocket();
  givenSession(open({ connectionId }));
  return connectionId;
}
const partner = () => openSocket(partnerSession);
const viewer = () => openSocket(viewerSession);

beforeEach(() => {
  run.mockReset();
  run.mockResolvedValue(done);
  store.resolves({});
});

test('runs the action with the session of the sender, and answers the message', async () => {
  const socket = partner();
  expect(await sendMessage(answering('subscribe'), socket, subscribe)).toEqual({ type: 'done' });
  expect(run).toHaveBeenCalledWith({
    session: partnerSession({ connectionId: socket }),
    message: subscribe,
    now: expect.any(Date) as Date,
  });
});

test.each([[7], ['seven'], [''], ['x'.repeat(128)]])('repeats the id %j in the answer', async (sentId) => {
  expect(await sendMessage(answering('subscribe'), partner(), { ...subscribe, id: sentId })).toEqual({
    type: 'done',
    id: sentId,
  });
});

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test.each([
  'null',
  'false',
  '{"a":[1]}',
  '1e999',
  `"${'x'.repeat(129)}"`,
  nested(3),
  nested(60),
  '1610521604143693812',
])('refuses an invalid id without repeating it, however deeply nested: %#', async (id) => {
  const text = JSON.stringify({ ...subscribe, id: 0 }).replace('"id":0', `"id":${id}`);
  expect(await sendMessage(answering('subscribe'), partner(), text)).toEqual({
    type: 'error',
    code: 'invalid_request',
    error: 'invalid_request',
    details: [{ path: 'id', message: 'must be a number, or a string of at most 128 characters' }],
  });
  expect(run).not.toHaveBeenCalled();
});

test.each([
  ['30,000 levels', `"metadata":${nested(30_000)}`, '', 7],
  ['a field twice', '"deviceId":"a","deviceId":"a"', 'deviceId', 7],
  ['an id twice', '"id":7', 'id', undefined],
])('refuses a message with %s by path, and repeats its id if it is clear', async (_, member, path, id) => {
  const { action } = subscribe;
  const answered = await sendMessage(answering('subscribe'), partner(), `{"action":"${action}","id":7,${member}}`);
  expect(answered).toMatchObject({ type: 'error', details: [{ path }] });
  expect((answered as { id?: unknown }).id).toBe(id);
  expect(run).not.toHaveBeenCalled();
});

test.each([
  ['an unknown field', { ...subscribe, since: 0, id: 1 }, [{ path: 'since', message: 'unknown field' }]],
  ['a field of the wrong type', { action: 'subscribe', deviceId: 7, id: 1 }, [{ path: 'deviceId' }]],
])('refuses a message with %s, with details and its id', async (_, message, details) => {
  const answered = await sendMessage(answering('subscribe'), partner(), message);
  expect(answered).toMatchObject({ type: 'error', code: 'invalid_request', details, id: 1 });
  expect(run).not.toHaveBeenCalled();
});

test.each(['', ' ', '{', 'ping', 'null', '7', '"x"'])('refuses the text %j', async (text) => {
  expect(await sendMessage(answering('subscribe'), partner(), text)).toEqual({
    type: 'error',
    code: 'invalid_request',
    error: 'invalid_request',
    details: [{ path: '', message: 'a message must be a JSON object with an action' }],
  });
});

const authorised = (Object.keys(webSocketActions) as WebSocketActionName[]).filter(
  (action) => !['anyone', 'partner'].includes(webSocketActions[action].needs),
);
const viewerActions: readonly WebSocketActionName[] = [
  'control',
  'takeControl',
  'releaseControl',
  'playback',
  'flight',
];

test.each(authorised)('allows %s only to sessions that it is for, before the message is validated', async (action) => {
  const forbidden = (message: string) => ({
    type: 'error',
    code: 'forbidden',
    error: 'Forbidden',
    id: 1,
    details: [{ path: 'action', message }],
  });
  const { needs } = webSocketActions[action];
  const [allowed, refused, why] = viewerActions.includes(action)
    ? [viewer, partner, 'is only for viewers of a share']
    : [partner, viewer, 'is not for viewers of a share'];
  expect(await sendMessage(answering(action), refused(), { action, id: 1 })).toEqual(forbidden(why));
  const without = newSocket();
  givenSession(partnerSession({ connectionId: without, scopes: ['command:read'] }));
  expect(await sendMessage(answering(action), without, { action, id: 1 })).toEqual(
    forbidden(needs === 'viewer' ? why : `needs scope ${needs}`),
  );
  expect(await sendMessage(answering(action), allowed(), { action, id: 1, extra: 1 })).toMatchObject({
    code: 'invalid_request',
  });
  expect(run).not.toHaveBeenCalled();
});

test('allows a partner with one of two scopes only the actions of that scope', async () => {
  const socket = newSocket();
  givenSession(partnerSession({ connectionId: socket, scopes: ['resources:read'] }));
  expect(await sendMessage(answering('subscribe'), socket, subscribe)).toEqual({ type: 'done' });
  expect(await sendMessage(answering('publish'), socket, { action: 'publish' })).toMatchObject({ error: 'Forbidden' });
});

test.each([
  ['a status channel', () => newSocket()],
  [
    'an expired token',
    () => openSocket(({ connectionId }) => partnerSession({ connectionId, expiresAt: Math.floor(Date.now() / 1000) })),
  ],
])('knows no action on the socket of %s', async (_, open) => {
  expect(await sendMessage(answering('subscribe'), open(), subscribe)).toEqual({
    type: 'error',
    code: 'unknown_action',
    error: 'Unknown action',
    details: [
      { path: 'action', message: 'this socket knows only ping and authenticate, or its token or share has ended' },
    ],
  });
});

test('reads a session once, and caches no missing one', async () => {
  const socket = partner();
  for (let count = 0; count < 3; count++) await sendMessage(answering('unsubscribe'), socket, unsubscribe);
  expect(store.calls()).toHaveLength(1);
  const unknown = newSocket();
  await sendMessage(answering('subscribe'), unknown, subscribe);
  givenSession(partnerSession({ connectionId: unknown }));
  expect(await sendMessage(answering('subscribe'), unknown, subscribe)).toEqual({ type: 'done' });
});

describe('The session of a partner that authenticates again in another instance', () => {
  /** A socket whose session this instance has read, and which has been changed since. */
  async function renewed(before: Partial<PartnerSession>, after: Partial<PartnerSession>): Promise<string> {
    const socket = newSocket();
    givenSession(partnerSession({ connectionId: socket, ...before }));
    await sendMessage(answering('unsubscribe'), socket, unsubscribe);
    await sendMessage(answering('publish'), socket, publish);
    run.mockClear();
    givenSession(partnerSession({ connectionId: socket, ...before, ...after }));
    store.resetHistory();
    return socket;
  }
  const later = (ms: number) => {
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + ms);
  };
  // The age of what an instance has read would grow while the test runs.
  beforeEach(() => later(0));
  const narrower = { scopes: ['stream:publish'] };

  test('gives wider scopes at once', async () => {
    const socket = await renewed({ scopes: ['resources:read'] }, { scopes: ['resources:read', 'stream:publish'] });
    expect(await sendMessage(answering('publish'), socket, publish)).toEqual({ type: 'done' });
  });

  test('takes narrower scopes after ten seconds, without a read before', async () => {
    const socket = await renewed({}, narrower);
    later(9_900);
    expect(await sendMessage(answering('unsubscribe'), socket, unsubscribe)).toEqual({ type: 'done' });
    expect(store.calls()).toHaveLength(0);
    later(200);
    expect(await sendMessage(answering('unsubscribe'), socket, unsubscribe)).toMatchObject({ code: 'forbidden' });
  });

  test('refuses a subscription at once without its scope, since it would last', async () => {
    const socket = await renewed({}, narrower);
    expect(await sendMessage(answering('subscribe'), socket, subscribe)).toMatchObject({ code: 'forbidden' });
    expect(run).not.toHaveBeenCalled();
  });

  test('lasts beyond the end that this instance knows', async () => {
    const end = Math.floor(Date.now() / 1000) + 5;
    const socket = await renewed({ expiresAt: end }, { expiresAt: end + 3600 });
    later(6_000);
    expect(await sendMessage(answering('publish'), socket, publish)).toEqual({ type: 'done' });
  });

  test('ends earlier when its new token does', async () => {
    const end = Math.floor(Date.now() / 1000) + 60;
    const socket = await renewed({}, { expiresAt: end });
    later(60_000);
    expect(await sendMessage(answering('publish'), socket, publish)).toMatchObject({ code: 'unknown_action' });
  });
});

test('reads the session of a viewer once, however long it lasts', async () => {
  const socket = viewer();
  await sendMessage(answering('control'), socket, control);
  const now = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(now + 3_600_000);
  expect(await sendMessage(answering('control'), socket, control)).toEqual({ type: 'done' });
  expect(store.calls()).toHaveLength(1);
});

test('answers a refusal with its error and does not log it', async () => {
  run.mockRejectedValue(new Refusal('device_group_not_found'));
  expect(await sendMessage(answering('subscribe'), partner(), { ...subscribe, id: 1 })).toEqual({
    type: 'error',
    code: 'device_group_not_found',
    error: 'Device group not found',
    id: 1,
  });
  expect(written).toEqual([]);
});

test('answers an internal error without detail, and logs it without the message or the share code', async () => {
  run.mockRejectedValue(new Error('the store is down'));
  const session = viewer();
  expect(await sendMessage(answering('control'), session, { ...control, id: 1 })).toEqual({
    type: 'error',
    code: 'internal_error',
    error: 'Internal server error',
    requestId: 'request-1',
    id: 1,
  });
  expect(logLines()).toMatchObject([{ level: 'ERROR', action: 'control', requestId: 'request-1' }]);
  for (const secret of [id('share'), 'HOVER']) expect(written.join('')).not.toContain(secret);
});

test('answers an internal error when the session cannot be read', async () => {
  store.rejects(new Error('the store is down'));
  expect(await sendMessage(answering('subscribe'), newSocket(), subscribe)).toMatchObject({
    error: 'Internal server error',
  });
});

import { telemetryActions, type TelemetryAction } from '../../../contract/telemetry';
import { Refusal } from '../../../domain/refusal';
import { answer } from '../../../lambdas/channel/answer';
import { id } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import { logLines, written } from '../fixtures/log';
import { newSocket, say } from '../fixtures/socket';
import { givenSession, partnerSession, viewerSession } from '../fixtures/telemetry';

const subscribe = { action: 'subscribe', deviceId: id('device') };
const control = { action: 'control', command: { name: 'HOVER' } };
const run = jest.fn<Promise<object>, [unknown]>();
const answering = (action: TelemetryAction) => answer(action, run);

/** An open socket of a partner, or of a viewer. */
function given(open: (change: { connectionId: string }) => Parameters<typeof givenSession>[0]): string {
  const connectionId = newSocket();
  givenSession(open({ connectionId }));
  return connectionId;
}
const partner = () => given(partnerSession);
const viewer = () => given(viewerSession);

beforeEach(() => {
  run.mockReset();
  run.mockResolvedValue({ type: 'done' });
  store.resolves({});
});

test('A message is done for who sent it, and answered.', async () => {
  const socket = partner();
  expect(await say(answering('subscribe'), socket, subscribe)).toEqual({ type: 'done' });
  expect(run).toHaveBeenCalledWith({
    session: partnerSession({ connectionId: socket }),
    message: subscribe,
    now: expect.any(Date) as Date,
  });
});

test.each([[7], ['seven'], [''], ['x'.repeat(128)]])('The id %j comes back on the answer.', async (given) => {
  expect(await say(answering('subscribe'), partner(), { ...subscribe, id: given })).toEqual({
    type: 'done',
    id: given,
  });
});

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test.each(['null', 'false', '{"a":[1]}', '1e999', `"${'x'.repeat(129)}"`, nested(3), nested(30_000)])(
  'An id that is none is refused and not sent back, however deep: %#.',
  async (id) => {
    const text = JSON.stringify({ ...subscribe, id: 0 }).replace('"id":0', `"id":${id}`);
    expect(await say(answering('subscribe'), partner(), text)).toEqual({
      type: 'error',
      error: 'invalid_request',
      details: [{ path: 'id', message: 'must be a number, or a string of at most 128 characters' }],
    });
    expect(run).not.toHaveBeenCalled();
  },
);

test.each([
  ['an unknown field', { ...subscribe, since: 0, id: 1 }, [{ path: '', message: 'unknown field: since' }]],
  ['a field of the wrong type', { action: 'subscribe', deviceId: 7, id: 1 }, [{ path: 'deviceId' }]],
])('A message with %s is refused with what is wrong, and its id.', async (_, message, details) => {
  const answered = await say(answering('subscribe'), partner(), message);
  expect(answered).toMatchObject({ type: 'error', error: 'invalid_request', details, id: 1 });
  expect(run).not.toHaveBeenCalled();
});

test.each(['', ' ', '{', 'ping', 'null', '7', '"x"'])('The text %j is refused.', async (text) => {
  expect(await say(answering('subscribe'), partner(), text)).toEqual({
    type: 'error',
    error: 'invalid_request',
    details: [{ path: '', message: 'a message must be a JSON object with an action' }],
  });
});

const all = Object.keys(telemetryActions) as TelemetryAction[];
const ofViewers: readonly TelemetryAction[] = ['control', 'playback'];

test.each(all)('Only those whom it is for may %s; all others are told so, whatever they send.', async (action) => {
  const forbidden = { type: 'error', error: 'Forbidden', id: 1 };
  const [may, mayNot] = ofViewers.includes(action) ? [viewer, partner] : [partner, viewer];
  expect(await say(answering(action), mayNot(), { action, id: 1 })).toEqual(forbidden);
  const without = newSocket();
  givenSession(partnerSession({ connectionId: without, scopes: ['command:read'] }));
  expect(await say(answering(action), without, { action, id: 1 })).toEqual(forbidden);
  expect(await say(answering(action), may(), { action, id: 1, extra: 1 })).not.toEqual(forbidden);
  expect(run).not.toHaveBeenCalled();
});

test('A partner with one scope of two may do what that is for.', async () => {
  const socket = newSocket();
  givenSession(partnerSession({ connectionId: socket, scopes: ['resources:read'] }));
  expect(await say(answering('subscribe'), socket, subscribe)).toEqual({ type: 'done' });
  expect(await say(answering('publish'), socket, { action: 'publish' })).toMatchObject({ error: 'Forbidden' });
});

test.each([
  ['a status channel', () => newSocket()],
  [
    'a token that has ended',
    () => given(({ connectionId }) => partnerSession({ connectionId, expiresAt: Math.floor(Date.now() / 1000) })),
  ],
])('On the socket of %s there are no actions.', async (_, open) => {
  expect(await say(answering('subscribe'), open(), subscribe)).toEqual({ type: 'error', error: 'Unknown action' });
});

test('Who a socket is is read once, and only of those that are open.', async () => {
  const socket = partner();
  for (let count = 0; count < 3; count++) await say(answering('subscribe'), socket, subscribe);
  expect(store.calls()).toHaveLength(1);
  const unknown = newSocket();
  await say(answering('subscribe'), unknown, subscribe);
  givenSession(partnerSession({ connectionId: unknown }));
  expect(await say(answering('subscribe'), unknown, subscribe)).toEqual({ type: 'done' });
});

test('What is refused is answered with what is wrong, and logged nowhere.', async () => {
  run.mockRejectedValue(new Refusal('device_group_not_found'));
  expect(await say(answering('subscribe'), partner(), { ...subscribe, id: 1 })).toEqual({
    type: 'error',
    error: 'Device group not found',
    id: 1,
  });
  expect(written).toEqual([]);
});

test('A fault of ours is answered without a detail, and logged without what was sent and who sent it.', async () => {
  run.mockRejectedValue(new Error('the store is down'));
  const session = viewer();
  expect(await say(answering('control'), session, { ...control, id: 1 })).toEqual({
    type: 'error',
    error: 'Internal server error',
    requestId: 'request-1',
    id: 1,
  });
  expect(logLines()).toMatchObject([{ level: 'ERROR', action: 'control', requestId: 'request-1' }]);
  for (const secret of [id('share'), 'HOVER']) expect(written.join('')).not.toContain(secret);
});

test('A fault while finding out who sent it is one too.', async () => {
  store.rejects(new Error('the store is down'));
  expect(await say(answering('subscribe'), newSocket(), subscribe)).toMatchObject({ error: 'Internal server error' });
});

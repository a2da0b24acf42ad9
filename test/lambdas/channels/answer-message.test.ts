import { handler } from '../../../lambdas/channels/answer-message.lambda';
import { sendMessage } from '../fixtures/socket';
import { fc } from '../../property-runs';

afterEach(() => jest.useRealTimers());

const answerTo = (message: unknown) => sendMessage(handler, 'socket-1', message);

test.each([[undefined], [7], ['seven'], [''], ['x'.repeat(128)]])(
  'answers a ping with a pong that has the time, and repeats the id %j if there is one',
  async (id) => {
    const echo = id === undefined ? {} : { id };
    jest.useFakeTimers({ now: Date.parse('2026-11-25T10:00:00.123Z') });
    const pong = { type: 'pong', timestamp: '2026-11-25T10:00:00.123Z' };
    await expect(answerTo({ action: 'ping', ...echo })).resolves.toEqual({ ...pong, ...echo });
  },
);

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const badId = {
  type: 'error',
  code: 'invalid_request',
  error: 'invalid_request',
  details: [{ path: 'id', message: 'must be a number, or a string of at most 128 characters' }],
};

test.each(['null', 'false', '{"a":[1]}', '1e999', `"${'x'.repeat(129)}"`, nested(3), nested(60)])(
  'refuses an invalid id without repeating it, however deeply nested: %#',
  async (id) => {
    await expect(answerTo(`{"action":"ping","id":${id}}`)).resolves.toEqual(badId);
  },
);

test('answers an unknown action with an error that names it in at most 64 characters, and its id', async () => {
  const unknown = (name: string) => ({
    type: 'error',
    code: 'unknown_action',
    error: 'Unknown action',
    details: [{ path: 'action', message: `"${name}" is no action` }],
  });
  await expect(answerTo({ action: 'fly', id: 1 })).resolves.toEqual({ ...unknown('fly'), id: 1 });
  await expect(answerTo({ action: 'x'.repeat(1000) })).resolves.toEqual(unknown('x'.repeat(64)));
});

test('answers any other message with an error', async () => {
  const isPing = (value: unknown) =>
    typeof value === 'object' && value !== null && 'action' in value && Boolean(value.action);
  const json = fc.json().filter((text) => !isPing(JSON.parse(text)));
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), json), async (text) => {
      await expect(answerTo(text)).resolves.toMatchObject({
        type: 'error',
        code: expect.stringMatching(/^(invalid_request|unknown_action)$/) as string,
      });
    }),
  );
});

test('answers an empty frame with an error', async () => {
  await expect(answerTo('')).resolves.toEqual({
    type: 'error',
    code: 'invalid_request',
    error: 'invalid_request',
    details: [{ path: '', message: 'a message must be a JSON object with an action' }],
  });
});

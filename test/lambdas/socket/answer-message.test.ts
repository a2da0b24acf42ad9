import fc from 'fast-check';
import { handler } from '../../../lambdas/socket/answer-message';
import { say } from '../fixtures/socket';

const answerTo = (message: unknown) => say(handler, 'socket-1', message);

test.each([[undefined], [7], ['seven'], [''], ['x'.repeat(128)]])(
  'A ping is answered with a pong; the id %j comes back if there was one.',
  async (id) => {
    const echo = id === undefined ? {} : { id };
    await expect(answerTo({ action: 'ping', ...echo })).resolves.toEqual({ type: 'pong', ...echo });
  },
);

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const badId = {
  type: 'error',
  error: 'invalid_request',
  details: [{ path: 'id', message: 'must be a number, or a string of at most 128 characters' }],
};

test.each(['null', 'false', '{"a":[1]}', '1e999', `"${'x'.repeat(129)}"`, nested(3), nested(30_000)])(
  'An id that is none is named and not sent back, however deep: %#.',
  async (id) => {
    await expect(answerTo(`{"action":"ping","id":${id}}`)).resolves.toEqual(badId);
  },
);

test('An action that there is not is answered with an error that names it, cut, and its id.', async () => {
  await expect(answerTo({ action: 'fly', id: 1 })).resolves.toEqual({
    type: 'error',
    error: 'unknown action: fly',
    id: 1,
  });
  const { error } = await answerTo({ action: 'x'.repeat(1000) });
  expect(error).toBe(`unknown action: ${'x'.repeat(64)}`);
});

test('Whatever else comes is answered with an error.', async () => {
  const isPing = (value: unknown) => typeof value === 'object' && (value as { action?: unknown } | null)?.action;
  const json = fc.json().filter((text) => !isPing(JSON.parse(text)));
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), json), async (text) => {
      await expect(answerTo(text)).resolves.toMatchObject({ type: 'error', error: expect.any(String) as string });
    }),
  );
});

test('A frame without anything is answered with an error.', async () => {
  await expect(answerTo('')).resolves.toEqual({ type: 'error', error: 'not a JSON object with an action' });
});

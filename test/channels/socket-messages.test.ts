import { clients } from '../api/client';
import { givenJob } from '../api/given';
import { followFromSnapshot, type Socket } from './socket';
import { quiet } from './until';

const [partner] = clients('socket-messages');
let jobId: string;
beforeAll(async () => {
  ({ jobId } = await givenJob(partner));
});
const open = () => followFromSnapshot(partner, { kind: 'job', id: jobId });

/** Sends a message and returns its answer. */
async function answerTo(socket: Socket, message: unknown) {
  const before = socket.messages.length;
  socket.send(message);
  return (await socket.first(before + 1)).at(-1);
}

describe('A ping', () => {
  const pong = { type: 'pong', timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string };

  test('is answered with a pong that has the time and the same id', async () => {
    const socket = await open();
    expect(await answerTo(socket, { action: 'ping' })).toEqual(pong);
    for (const id of [7, 'seven']) expect(await answerTo(socket, { action: 'ping', id })).toEqual({ ...pong, id });
  });

  test('is answered each time, even if many arrive at once', async () => {
    const socket = await open();
    for (let id = 0; id < 100; id++) socket.send({ action: 'ping', id });
    const answers = (await socket.first(101)).slice(1);
    expect(new Set(answers.map((answer) => answer['id'])).size).toBe(100);
  });
});

describe('An invalid message', () => {
  const junk = ['', ' ', 'ping', '{', '{"action":', '[]', '[{"action":"ping"}]', '1', 'null', '"ping"', '\u0000'];
  const shapes = ['{}', '{"action":1}', '{"action":null}', '{"action":["ping"]}', '{"__proto__":{"action":"ping"}}'];
  test.each([...junk, ...shapes])('such as %j is answered with an error, and the socket stays open', async (text) => {
    const socket = await open();
    expect(await answerTo(socket, text)).toMatchObject({ type: 'error', error: expect.any(String) as string });
    expect(await answerTo(socket, { action: 'ping' })).toMatchObject({ type: 'pong' });
  });

  test.each([
    ...['fly', '$connect', '$default', '$disconnect', 'constructor'].map((action) => [action, action]),
    ['Ping', 'Ping', '; did you mean ping?'],
    ['of 10,000 letters', 'x'.repeat(10_000)],
  ])(
    'with the unknown action %s is answered with an error that has this action and its id',
    async (_, action = '', hint = '') => {
      const socket = await open();
      const answer = await answerTo(socket, { action, id: 5 });
      const message = `"${action.slice(0, 64)}" is no action${hint}`;
      expect(answer).toMatchObject({ type: 'error', code: 'unknown_action', id: 5, details: [{ message }] });
    },
  );

  test('for a telemetry socket is answered with an error on a status channel', async () => {
    const socket = await open();
    for (const action of ['subscribe', 'publish', 'control'])
      expect(await answerTo(socket, { action, deviceId: 'x', telemetry: {}, command: { name: 'x' } })).toMatchObject({
        type: 'error',
      });
  });
});

describe('A message that API Gateway refuses', () => {
  test.each([
    ['longer than 128 kB', 'x'.repeat(128 * 1024 + 1), 1009],
    ['in a frame longer than 32 kB', JSON.stringify({ action: 'ping', id: 'x'.repeat(33 * 1024) }), 1009],
    ['in binary', Buffer.from('{"action":"ping"}'), 1003],
  ])('since it is %s closes its socket, and no other', async (_, message, code) => {
    const [socket, neighbour] = await Promise.all([open(), open()]);
    socket.send(message);
    expect(await socket.closed).toMatchObject({ code });
    expect(await answerTo(neighbour, { action: 'ping' })).toMatchObject({ type: 'pong' });
  });
});

test('invalid messages from one socket delay no change for another', async () => {
  const [noisy, neighbour] = await Promise.all([open(), open()]);
  for (let count = 0; count < 200; count++) noisy.send('{"action":');
  await partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status: 'QUEUED' } });
  await neighbour.like({ jobState: 'QUEUED', previousState: 'PENDING' });
  await noisy.like({ jobState: 'QUEUED', previousState: 'PENDING' });
  await quiet();
  expect(neighbour.messages).toHaveLength(2);
});

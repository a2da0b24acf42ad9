import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { sendToFollower, outgoing } from '../../../lambdas/sockets/followers';
import { connection, gone, socketCalls, sockets } from '../../data/fixtures/sockets';
import { conditionFailed, store } from '../../data/fixtures/store';
import { givenBufferingFollower } from '../fixtures/buffering-follower';

const message = (sequence: number) => ({ type: 'job.status', sequence });
const all = [4, 5].map((sequence) => outgoing(message(sequence)));
const posts = (...sequences: number[]) => sequences.map((sequence) => `socket-1 ${JSON.stringify(message(sequence))}`);

beforeEach(() => {
  store.resolves({});
});

test('sends all messages in order, without a call to the table', async () => {
  await expect(sendToFollower(connection(), all)).resolves.toBe(true);
  expect(socketCalls()).toEqual(posts(4, 5));
  expect(store).not.toHaveReceivedAnyCommand();
});

test.each([
  [3, [4, 5]],
  [4, [5]],
  [5, []],
])(
  'skips messages that are not later than the last one sent: after %d, of 4 and 5 it sends %j',
  async (lastSent, expected) => {
    await expect(sendToFollower({ ...connection(), sentSequences: { 'job.status': lastSent } }, all)).resolves.toBe(
      true,
    );
    expect(socketCalls()).toEqual(posts(...expected));
  },
);

test('buffers all messages by one write for a follower that waits for its snapshot, with the final message marked', async () => {
  const waiting = await givenBufferingFollower(connection());
  const last = outgoing(message(6), true);
  await expect(sendToFollower({ ...connection(), bufferingSince: 1 }, [...all, last])).resolves.toBe(false);
  expect(socketCalls()).toEqual([]);
  expect((await waiting.item()).buffered).toEqual([
    ...[4, 5].map((sequence) => ({ text: JSON.stringify(message(sequence)) })),
    { text: JSON.stringify(message(6)), endsChannel: true },
  ]);
  expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
});

test('sends directly to a follower whose snapshot was sent since it was read, and nothing older', async () => {
  store.on(UpdateCommand).rejects(conditionFailed({ ...connection(), sentSequences: { 'job.status': 4 } }));
  await expect(sendToFollower({ ...connection(), bufferingSince: 1 }, all)).resolves.toBe(true);
  expect(socketCalls()).toEqual(posts(5));
});

test.each([
  ['has ended since it was read', undefined],
  ['still follows', { ...connection() }],
])('a follower that waited and %s is sent only what it still follows', async (_, found) => {
  store.on(UpdateCommand).rejects(conditionFailed(found));
  await expect(sendToFollower({ ...connection(), bufferingSince: 1 }, all)).resolves.toBe(found !== undefined);
  expect(socketCalls()).toEqual(found ? posts(4, 5) : []);
});

test('closes a follower whose messages cannot be buffered, since it could not notice the gap', async () => {
  store
    .on(UpdateCommand, { Key: { channel: connection().channel, connectionId: 'socket-1' } })
    .rejects(new Error('too large'));
  await expect(sendToFollower({ ...connection(), bufferingSince: 1 }, all)).resolves.toBe(false);
  expect(socketCalls()).toEqual(['socket-1 closed']);
});

test('stops at a socket that has closed', async () => {
  sockets.on(PostToConnectionCommand).rejects(gone());
  await expect(sendToFollower(connection(), all)).resolves.toBe(false);
  expect(socketCalls()).toEqual(posts(4));
});

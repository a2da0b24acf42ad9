import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { UpdateCommand } from '../../../data/store/document-client';
import { reachFollower, said as saying } from '../../../lambdas/delivery/reach-follower';
import { connection, gone, said, sockets } from '../../data/fixtures/sockets';
import { conditionFailed, store } from '../../data/fixtures/store';
import { givenWaiting } from '../fixtures/waiting';

const message = (sequence: number) => ({ type: 'job.status', sequence });
const all = [4, 5].map((sequence) => saying(message(sequence)));
const heard = (...sequences: number[]) => sequences.map((sequence) => `socket-1 ${JSON.stringify(message(sequence))}`);

beforeEach(() => {
  store.resolves({});
});

test('A follower is told everything in order, and the store hears nothing of it.', async () => {
  await expect(reachFollower(connection(), all)).resolves.toBe(true);
  expect(said()).toEqual(heard(4, 5));
  expect(store).not.toHaveReceivedAnyCommand();
});

test.each([
  [3, [4, 5]],
  [4, [5]],
  [5, []],
])(
  'A follower that was told %d is told nothing older by a record that comes late: of 4 and 5 it hears %j.',
  async (told, hears) => {
    await expect(reachFollower({ ...connection(), told: { 'job.status': told } }, all)).resolves.toBe(true);
    expect(said()).toEqual(heard(...hears));
  },
);

test('For a follower that is being told the state everything is held back by one write, with what is the last word.', async () => {
  const waiting = givenWaiting(connection());
  const last = saying(message(6), true);
  await expect(reachFollower({ ...connection(), waits: 1 }, [...all, last])).resolves.toBe(false);
  expect(said()).toEqual([]);
  expect(waiting.item().held).toEqual([
    ...[4, 5].map((sequence) => ({ text: JSON.stringify(message(sequence)) })),
    { text: JSON.stringify(message(6)), last: true },
  ]);
  expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
});

test('A follower that has been told the state since it was read is told at once, and nothing older than that.', async () => {
  store.on(UpdateCommand).rejects(conditionFailed({ ...connection(), told: { 'job.status': 4 } }));
  await expect(reachFollower({ ...connection(), waits: 1 }, all)).resolves.toBe(true);
  expect(said()).toEqual(heard(5));
});

test('A follower for which nothing can be held back is closed, and comes back: there would be a gap that it can not see.', async () => {
  store
    .on(UpdateCommand, { Key: { channel: connection().channel, connectionId: 'socket-1' } })
    .rejects(new Error('too large'));
  await expect(reachFollower({ ...connection(), waits: 1 }, all)).resolves.toBe(false);
  expect(said()).toEqual(['socket-1 closed']);
});

test('A follower that is gone is told no more.', async () => {
  sockets.on(PostToConnectionCommand).rejects(gone());
  await expect(reachFollower(connection(), all)).resolves.toBe(false);
  expect(said()).toEqual(heard(4));
});

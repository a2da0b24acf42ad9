import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { DeleteCommand, UpdateCommand } from '../../../../data/store/document-client';
import { catchUp, tellLastWord } from '../../../../lambdas/channel/greeting/catch-up';
import { connection, gone, said, sockets } from '../../../data/fixtures/sockets';
import { conditionFailed, store } from '../../../data/fixtures/store';
import { givenWaiting } from '../../fixtures/waiting';

const follower = connection();
const message = (sequence: number) => ({ type: 'job.status', sequence });
const told = { 'job.status': 3 };
const heard = (...sequences: number[]) => sequences.map((sequence) => `socket-1 ${JSON.stringify(message(sequence))}`);
const forgotten = { Key: { channel: follower.channel, connectionId: 'socket-1' } };

beforeEach(() => {
  store.onAnyCommand().resolves({});
});

describe('Who has been told the state', () => {
  test('follows at once when nothing has happened meanwhile, and it is noted what it was told.', async () => {
    const waiting = givenWaiting(follower);
    await expect(catchUp(follower, told)).resolves.toBe(true);
    expect(said()).toEqual([]);
    expect(waiting.item()).toEqual({ ...follower, told });
  });

  test('hears all that was held back meanwhile, in order, before it follows.', async () => {
    const waiting = givenWaiting(follower);
    for (const sequence of [4, 5, 6]) await waiting.holdBack(message(sequence));
    sockets.on(PostToConnectionCommand).callsFake(() => {
      // What is said now has to be held back still, or it would come before what is told here.
      expect(waiting.waits()).toBe(true);
      return {};
    });
    await expect(catchUp(follower, told)).resolves.toBe(true);
    expect(said()).toEqual(heard(4, 5, 6));
    expect(waiting.waits()).toBe(false);
  });

  test('hears what is held back while it is told what was held back, each once.', async () => {
    const waiting = givenWaiting(follower);
    await waiting.holdBack(message(4));
    let next = 5;
    sockets.on(PostToConnectionCommand).callsFake(async () => {
      if (next < 8) await waiting.holdBack(message(next++));
      return {};
    });
    await expect(catchUp(follower, told)).resolves.toBe(true);
    expect(said()).toEqual(heard(4, 5, 6, 7));
    expect(waiting.waits()).toBe(false);
  });

  test('hears nothing that is older than the state, or that is the state, though it comes late.', async () => {
    const waiting = givenWaiting(follower);
    for (const sequence of [2, 3, 4]) await waiting.holdBack(message(sequence));
    await expect(catchUp(follower, told)).resolves.toBe(true);
    expect(said()).toEqual(heard(4));
  });

  test('hears the last word that was held back, and is closed and forgotten with it.', async () => {
    const waiting = givenWaiting(follower);
    await waiting.holdBack(message(4), true);
    await waiting.holdBack(message(5));
    await expect(catchUp(follower, told)).resolves.toBe(false);
    expect(said()).toEqual([...heard(4), 'socket-1 closed']);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, forgotten);
  });

  test('does not follow when it has left meanwhile.', async () => {
    const waiting = givenWaiting(follower);
    await waiting.holdBack(message(4));
    sockets.on(PostToConnectionCommand).rejects(gone());
    await expect(catchUp(follower, told)).resolves.toBe(false);
    expect(waiting.waits()).toBe(true);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, forgotten);
  });

  test('is told no more when it has been forgotten.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(catchUp(follower, told)).resolves.toBe(true);
    expect(said()).toEqual([]);
  });
});

describe('Who waits for the state of what has gone', () => {
  test('hears the last word that has been held back, and is closed.', async () => {
    const waiting = givenWaiting(follower);
    await waiting.holdBack(message(4));
    await waiting.holdBack(message(5), true);
    await tellLastWord(follower, []);
    expect(said()).toEqual([...heard(5), 'socket-1 closed']);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, forgotten);
  });

  test('hears it also when it is still on its way.', async () => {
    const waiting = givenWaiting(follower);
    setTimeout(() => void waiting.holdBack(message(5), true), 70);
    await tellLastWord(follower, []);
    expect(said()).toEqual([...heard(5), 'socket-1 closed']);
  });

  test('is closed without when it does not come within three seconds.', async () => {
    givenWaiting(follower);
    const from = Date.now();
    await tellLastWord(follower, []);
    expect(said()).toEqual(['socket-1 closed']);
    expect(Date.now() - from).toBeGreaterThan(3000);
  });

  test('hears the one that its handshake knew when everybody had been told before it was noted.', async () => {
    givenWaiting(follower);
    await tellLastWord(follower, [], JSON.stringify(message(4)));
    expect(said()).toEqual([...heard(4), 'socket-1 closed']);
  });

  test('hears one alone: that which was held back.', async () => {
    const waiting = givenWaiting(follower);
    await waiting.holdBack(message(5), true);
    await tellLastWord(follower, [], JSON.stringify(message(4)));
    expect(said()).toEqual([...heard(5), 'socket-1 closed']);
  });

  test('is waited for while its handshake goes on.', async () => {
    const waiting = givenWaiting(follower);
    await waiting.holdBack(message(5), true);
    sockets.on(PostToConnectionCommand).rejectsOnce(gone()).resolves({});
    await tellLastWord(follower, [1]);
    expect(said()).toEqual([...heard(5, 5), 'socket-1 closed']);
  });
});

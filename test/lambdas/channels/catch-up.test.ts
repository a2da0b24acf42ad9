import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { outgoing, sendToFollower } from '../../../lambdas/sockets/send-to-followers';
import { bufferMessages, stopDelivery } from '../../../data/channels/followers';
import { followDevice, followedDevice } from '../../../data/channels/sessions';
import { catchUp, sendFinalMessage } from '../../../lambdas/channels/catch-up';
import { connection, gone, socketCalls, sockets } from '../../data/fixtures/sockets';
import { conditionFailed, store } from '../../data/fixtures/store';
import { id } from '../../domain/fixtures/samples';
import { engine, givenBufferingFollower, passOnPuts } from '../fixtures/buffering-follower';
import { partnerSession } from '../fixtures/telemetry';

const follower = connection();
const message = (sequence: number) => ({ type: 'job.status', sequence });
const snapshotSequences = { 'job.status': 3 };
const posts = (...sequences: number[]) => sequences.map((sequence) => `socket-1 ${JSON.stringify(message(sequence))}`);
const itemKey = { Key: { channel: follower.channel, connectionId: 'socket-1' } };

beforeEach(() => {
  store.onAnyCommand().resolves({});
});

describe('A follower that has been sent the snapshot', () => {
  test('follows at once when nothing was buffered, with the sequences of the snapshot stored', async () => {
    const waiting = await givenBufferingFollower(follower);
    await expect(catchUp(follower, snapshotSequences)).resolves.toBe(true);
    expect(socketCalls()).toEqual([]);
    expect(await waiting.item()).toEqual({ ...follower, sentSequences: snapshotSequences });
  });

  test('is sent all buffered messages in order before it follows', async () => {
    const waiting = await givenBufferingFollower(follower);
    for (const sequence of [4, 5, 6]) await waiting.buffer(message(sequence));
    sockets.on(PostToConnectionCommand).callsFake(async () => {
      // Messages published now must still be buffered, or they would overtake those that are sent here.
      expect(await waiting.isBuffering()).toBe(true);
      return {};
    });
    await expect(catchUp(follower, snapshotSequences)).resolves.toBe(true);
    expect(socketCalls()).toEqual(posts(4, 5, 6));
    expect(await waiting.isBuffering()).toBe(false);
  });

  test('is sent messages that are buffered while buffered messages are sent, each once', async () => {
    const waiting = await givenBufferingFollower(follower);
    await waiting.buffer(message(4));
    let next = 5;
    sockets.on(PostToConnectionCommand).callsFake(async () => {
      if (next < 8) await waiting.buffer(message(next++));
      return {};
    });
    await expect(catchUp(follower, snapshotSequences)).resolves.toBe(true);
    expect(socketCalls()).toEqual(posts(4, 5, 6, 7));
    expect(await waiting.isBuffering()).toBe(false);
  });

  test('is not sent buffered messages that are not later than the snapshot', async () => {
    const waiting = await givenBufferingFollower(follower);
    for (const sequence of [2, 3, 4]) await waiting.buffer(message(sequence));
    await expect(catchUp(follower, snapshotSequences)).resolves.toBe(true);
    expect(socketCalls()).toEqual(posts(4));
  });

  test('is sent the change of a job whose position came before it', async () => {
    const waiting = await givenBufferingFollower(follower);
    const [early, change, late] = [
      { ...message(4), droneState: 'HOVER' },
      message(4),
      { ...message(4), droneState: 'LANDED' },
    ];
    for (const each of [early, change, late]) await waiting.buffer(each);
    await catchUp(follower, snapshotSequences);
    expect(socketCalls()).toEqual([early, change, late].map((each) => `socket-1 ${JSON.stringify(each)}`));
  });

  describe.each([99, 100, 101])('of %d devices', (count) => {
    const device = (number: number, sequence: number) => ({
      type: 'device.status',
      deviceId: `device-${number}`,
      sequence,
    });
    const state = Object.fromEntries(Array.from({ length: count }, (_, number) => [`device-${number}`, 5]));

    test('is sent no older change of the first hundred, whatever was buffered', async () => {
      const waiting = await givenBufferingFollower(follower);
      const command = { type: 'command.status', commandId: 'command-1', deviceId: 'device-1', sequence: 1 };
      for (const each of [command, device(7, 6)]) await waiting.buffer(each);
      await catchUp(follower, state);
      for (const late of [device(0, 4), device(7, 6), device(98, 5)])
        await sendToFollower({ ...follower, bufferingSince: 1 }, [outgoing(late)]);
      expect(socketCalls()).toEqual([command, device(7, 6)].map((each) => `socket-1 ${JSON.stringify(each)}`));
    });
  });

  // The SDK repeats a write whose answer came late: whatever it had appended is appended again.
  describe.each([4, 6])('when the write that buffered message %d', (repeated) => {
    test.each(['before', 'while', 'after'])(
      'is repeated %s the messages are sent, it is sent each once',
      async (when) => {
        const waiting = await givenBufferingFollower(follower);
        const repeat = () => sendToFollower({ ...follower, bufferingSince: 1 }, [outgoing(message(repeated))]);
        for (const sequence of [4, 5, 6]) await waiting.buffer(message(sequence));
        if (when === 'before') await repeat();
        sockets.on(PostToConnectionCommand).callsFake(async () => {
          if (when === 'while' && socketCalls().length === 3) await repeat();
          return {};
        });
        await expect(catchUp(follower, snapshotSequences)).resolves.toBe(true);
        if (when === 'after') await repeat();
        expect(socketCalls()).toEqual(posts(4, 5, 6));
      },
    );
  });

  describe('through a slow socket', () => {
    let now = 0;
    /** @param meanwhile what happens while a message is sent, the first is 1 */
    function givenPosts(ms: number, meanwhile: (post: number) => Promise<unknown> = () => Promise.resolve()) {
      now = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => now);
      sockets.on(PostToConnectionCommand).callsFake(async () => {
        now += ms;
        await meanwhile(socketCalls().length);
        return {};
      });
    }
    afterEach(() => jest.restoreAllMocks());

    test.each([0, 60, 101, 1000])('of %d ms a message is sent all, each once', async (ms) => {
      const waiting = await givenBufferingFollower(follower);
      for (const sequence of [4, 5, 6, 7, 8, 9]) await waiting.buffer(message(sequence));
      let next = 10;
      givenPosts(ms, async () => next < 13 && waiting.buffer(message(next++)));
      await expect(catchUp(follower, snapshotSequences)).resolves.toBe(true);
      expect(socketCalls()).toEqual(posts(4, 5, 6, 7, 8, 9, 10, 11, 12));
      expect(await waiting.isBuffering()).toBe(false);
    });

    test.each([
      [60, 1, [4, 5]],
      [60, 2, [4, 5]],
      [60, 3, [4, 5, 6, 7]],
      [101, 1, [4]],
      [101, 3, [4, 5, 6]],
    ])('of %d ms is sent no more 100 ms after it was deleted during message %d', async (ms, during, sent) => {
      const waiting = await givenBufferingFollower(follower);
      for (const sequence of [4, 5, 6, 7, 8, 9]) await waiting.buffer(message(sequence));
      const unfollow = () => engine.answers('DeleteCommand')({ TableName: 'connections', ...itemKey });
      givenPosts(ms, async (post) => post === during && unfollow());
      await catchUp(follower, snapshotSequences);
      expect(socketCalls()).toEqual(posts(...sent));
    });
  });

  describe('ends only the waiting that its snapshot was requested for', () => {
    /**
     * What happens to the follower while its first buffered message is sent, and whether a later snapshot of it still
     * ends the waiting.
     */
    const subscribedAgain = async () => {
      await followDevice(partner, id('device'), 2, 'second');
      await bufferMessages(subscribed, [{ text: JSON.stringify(message(7)) }]);
    };
    const partner = partnerSession();
    const subscribed = { ...followedDevice(partner, id('device')), waiting: 'first' };
    const postsTo = (...sequences: number[]) =>
      sequences.map((sequence) => `${partner.connectionId} ${JSON.stringify(message(sequence))}`);

    test.each<[string, () => Promise<unknown>, readonly number[]]>([
      ['it is subscribed again', subscribedAgain, [7]],
      ['it misses a message', () => stopDelivery(subscribed), []],
    ])('when %s meanwhile', async (_, meanwhile, later) => {
      passOnPuts();
      const waiting = await givenBufferingFollower(subscribed);
      for (const sequence of [4, 5]) await waiting.buffer(message(sequence));
      sockets.on(PostToConnectionCommand).callsFake(async () => {
        if (socketCalls().length === 1) await meanwhile();
        return {};
      });
      await expect(catchUp(subscribed, snapshotSequences)).resolves.toBe(false);
      expect(await waiting.isBuffering()).toBe(true);
      const before = socketCalls().length;
      await catchUp({ ...subscribed, waiting: 'second' }, snapshotSequences);
      expect(socketCalls().slice(before)).toEqual(postsTo(...later));
      expect(await waiting.isBuffering()).toBe(later.length === 0);
    });

    test.each([
      ['it misses a message', () => stopDelivery(subscribed), true],
      ['an earlier invocation had done it', () => Promise.resolve(), false],
    ])('when the write that ended it is repeated after %s', async (_, meanwhile, isBuffering) => {
      const waiting = await givenBufferingFollower(subscribed);
      await catchUp(subscribed, { ...snapshotSequences, 'job.status': 9 });
      await meanwhile();
      await waiting.buffer(message(10));
      const before = await waiting.item();
      await catchUp(subscribed, snapshotSequences);
      expect(await waiting.item()).toEqual(before);
      expect(await waiting.isBuffering()).toBe(isBuffering);
    });

    test.each(['not-yet-sent', 'being-sent'])('of a %s one that misses a message nothing follows', async (when) => {
      const waiting = await givenBufferingFollower(follower);
      await waiting.buffer(message(4));
      if (when === 'not-yet-sent') await stopDelivery(follower);
      else
        sockets.on(PostToConnectionCommand).callsFake(async () => {
          await stopDelivery(follower);
          return {};
        });
      await expect(catchUp(follower, snapshotSequences)).resolves.toBe(false);
      expect(await waiting.isBuffering()).toBe(true);
    });
  });

  test('is sent the buffered final message, closed and deleted', async () => {
    const waiting = await givenBufferingFollower(follower);
    await waiting.buffer(message(4), true);
    await waiting.buffer(message(5));
    await expect(catchUp(follower, snapshotSequences)).resolves.toBe(false);
    expect(socketCalls()).toEqual([...posts(4), 'socket-1 closed']);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, itemKey);
  });

  test('does not follow when it has disconnected meanwhile', async () => {
    const waiting = await givenBufferingFollower(follower);
    await waiting.buffer(message(4));
    sockets.on(PostToConnectionCommand).rejects(gone());
    await expect(catchUp(follower, snapshotSequences)).resolves.toBe(false);
    expect(await waiting.isBuffering()).toBe(true);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, itemKey);
  });

  test('is sent nothing when its item has been deleted', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(catchUp(follower, snapshotSequences)).resolves.toBe(true);
    expect(socketCalls()).toEqual([]);
  });
});

describe('A follower that waits for the snapshot of a deleted resource', () => {
  test('is sent the buffered final message and closed', async () => {
    const waiting = await givenBufferingFollower(follower);
    await waiting.buffer(message(4));
    await waiting.buffer(message(5), true);
    await sendFinalMessage(follower, []);
    expect(socketCalls()).toEqual([...posts(5), 'socket-1 closed']);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, itemKey);
  });

  test.each([70, 2500])('is sent a final message that is buffered %d ms later', async (delay) => {
    const waiting = await givenBufferingFollower(follower);
    setTimeout(() => void waiting.buffer(message(5), true), delay);
    await sendFinalMessage(follower, []);
    expect(socketCalls()).toEqual([...posts(5), 'socket-1 closed']);
  });

  test('is closed without a final message when none is buffered within three seconds', async () => {
    await givenBufferingFollower(follower);
    const from = Date.now();
    await sendFinalMessage(follower, []);
    expect(socketCalls()).toEqual(['socket-1 closed']);
    expect(Date.now() - from).toBeGreaterThan(3000);
  });

  test('is sent the final message of its handshake when none is buffered', async () => {
    await givenBufferingFollower(follower);
    await sendFinalMessage(follower, [], JSON.stringify(message(4)));
    expect(socketCalls()).toEqual([...posts(4), 'socket-1 closed']);
  });

  test('is sent the buffered final message only, when there are both', async () => {
    const waiting = await givenBufferingFollower(follower);
    await waiting.buffer(message(5), true);
    await sendFinalMessage(follower, [], JSON.stringify(message(4)));
    expect(socketCalls()).toEqual([...posts(5), 'socket-1 closed']);
  });

  test('is retried while its handshake is open', async () => {
    const waiting = await givenBufferingFollower(follower);
    await waiting.buffer(message(5), true);
    sockets.on(PostToConnectionCommand).rejectsOnce(gone()).resolves({});
    await sendFinalMessage(follower, [1]);
    expect(socketCalls()).toEqual([...posts(5, 5), 'socket-1 closed']);
  });
});

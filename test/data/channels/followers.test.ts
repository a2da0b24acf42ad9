import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  followersOf,
  bufferMessages,
  readBuffered,
  startFollowing,
  telemetryFollowersOf,
} from '../../../data/channels/followers';
import { acme, id } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { connection } from '../fixtures/sockets';
import { givenPages, onlyCommand, sent, store } from '../fixtures/store';

const engine = storeOnEngine('connections');
const own = connection();
const waiting = { ...own, bufferingSince: 1795775400 };
const change = { text: '{"sequence":4}' };
const end = { text: '{"sequence":5}', endsChannel: true };

describe('followersOf', () => {
  const channel = { kind: 'job', id: id('job') } as const;
  const pages = async (found = followersOf(channel)) => {
    const all = [];
    for await (const page of found) all.push(page);
    return all;
  };

  test('returns a few followers by one query, with waiting ones and sent sequences', async () => {
    const caughtUp = { ...own, connectionId: 'socket-2', sentSequences: { 'job.status': 3 } };
    const another = { ...own, channel: `job#${id('job', acme, 'another')}` };
    await engine.put('connections', { ...waiting, ttl: 1, buffered: [change] }, caughtUp, another);
    await expect(pages()).resolves.toEqual([[waiting, caughtUp]]);
    expect(onlyCommand()).toMatchObject({ ConsistentRead: true });
  });

  test('queries each page only when the one before has been processed', async () => {
    const key = { channel: own.channel, connectionId: 'socket-1' };
    const startKeys = givenPages(store.on(QueryCommand), [
      { Items: [own], LastEvaluatedKey: key },
      { LastEvaluatedKey: key },
      { Items: [{ ...own, connectionId: 'socket-2' }] },
    ]);
    const commandCounts: number[] = [];
    for await (const _page of followersOf(channel)) commandCounts.push(sent().length);
    expect(commandCounts).toEqual([1, 2, 3]);
    expect(startKeys).toEqual([undefined, key, key]);
  });

  test('returns the followers of a device or a group for telemetry, and which of them asked for batches', async () => {
    const follower = { ...own, channel: `telemetry#${id('device')}` };
    const another = { ...follower, connectionId: 'socket-2', batch: true };
    await engine.put('connections', own, follower, another);
    await expect(pages(telemetryFollowersOf(id('device')))).resolves.toEqual([[follower, another]]);
  });

  test('skips a follower that cannot be parsed, and logs an error', async () => {
    const error = jest.spyOn(console, 'error').mockImplementation();
    await engine.put('connections', { ...own, connectionId: 'socket-0', expiresAt: 'soon' }, own);
    expect((await pages()).flat()).toEqual([own]);
    expect(error).toHaveBeenCalledTimes(1);
  });
});

/** The item of a follower before and after a call. */
type Case = readonly [name: string, before: object | undefined, result: unknown, after: object | undefined];

describe('bufferMessages', () => {
  test.each<Case>([
    ['buffers the first ones of a follower that waits', waiting, undefined, { ...waiting, buffered: [change, end] }],
    [
      'appends to what is buffered already',
      { ...waiting, buffered: [end] },
      undefined,
      { ...waiting, buffered: [end, change, end] },
    ],
    [
      'buffers nothing for a follower that does not wait, and returns the sequences of its snapshot',
      { ...own, sentSequences: { 'job.status': 3 } },
      { 'job.status': 3 },
      { ...own, sentSequences: { 'job.status': 3 } },
    ],
    ['buffers nothing for one without sequences', own, {}, own],
    ['neither recreates a deleted follower nor lets it be sent to', undefined, undefined, undefined],
  ])('%s, by one write', async (_, before, result, after) => {
    if (before) await engine.put('connections', before);
    await expect(bufferMessages(own, [change, end])).resolves.toEqual(result);
    expect(await engine.all('connections')).toEqual(after ? [after] : []);
    expect(store.calls()).toHaveLength(1);
  });
});

describe('readBuffered', () => {
  test.each([
    ['what is buffered', [{ ...waiting, buffered: [change, end] }], [change, end]],
    ['none when nothing is buffered', [waiting], []],
    ['none of a deleted follower', [], []],
  ])('returns %s, by a consistent read', async (_, before, messages) => {
    await engine.put('connections', ...before);
    await expect(readBuffered(own)).resolves.toEqual(messages);
    expect(onlyCommand()).toMatchObject({ ConsistentRead: true });
  });
});

describe('startFollowing', () => {
  const names = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`device-${index}`, 1]));
  const sentSequences = names(100);

  test.each<Case>([
    ['ends the waiting of a follower without buffered messages', waiting, 'follows', { ...own, sentSequences }],
    [
      'ends it when all of them were sent',
      { ...waiting, buffered: [change, end] },
      'follows',
      { ...own, sentSequences },
    ],
    ['ends it when fewer are buffered', { ...waiting, buffered: [end] }, 'follows', { ...own, sentSequences }],
    [
      'leaves one that follows already as it is',
      { ...own, sentSequences: { 'device-1': 7 } },
      'follows',
      { ...own, sentSequences: { 'device-1': 7 } },
    ],
    [
      'does not end another waiting',
      { ...waiting, waiting: 'another', buffered: [end] },
      'replaced',
      { ...waiting, waiting: 'another', buffered: [end] },
    ],
    [
      'returns the buffered messages when there are more than were sent',
      { ...waiting, buffered: [change, change, end] },
      [change, change, end],
      { ...waiting, buffered: [change, change, end] },
    ],
    ['does not recreate a deleted follower', undefined, 'follows', undefined],
  ])('%s, by one write', async (_, before, result, after) => {
    if (before) await engine.put('connections', before);
    await expect(startFollowing(own, sentSequences, 2)).resolves.toEqual(result);
    expect(await engine.all('connections')).toEqual(after ? [after] : []);
    expect(store.calls()).toHaveLength(1);
  });

  test('stores the sequences of the first 100 of more devices', async () => {
    await engine.put('connections', waiting);
    await startFollowing(own, names(101), 0);
    expect(await engine.all('connections')).toEqual([{ ...own, sentSequences: names(100) }]);
  });

  test('passes on errors of DynamoDB', async () => {
    const fault = new Error('throttled');
    store.on(UpdateCommand).rejects(fault);
    await expect(startFollowing(own, sentSequences, 0)).rejects.toBe(fault);
  });
});

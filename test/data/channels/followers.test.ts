import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  findFollowers,
  bufferMessages,
  readBuffered,
  startFollowing,
  findTelemetryFollowers,
} from '../../../data/channels/followers';
import { acme, id } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { connection } from '../fixtures/sockets';
import { givenPages, onlyCommand, sent, store } from '../fixtures/store';
import { listenersKey, noteListener, readListeners } from '../../../data/channels/listeners';
import { LONGEST_CONNECTION_S } from '../../../domain/channels/longest-connection';
import { extendSubscription, noteWarning, renewConnection } from '../../../data/channels/renewal';

const engine = storeOnEngine('connections');

const own = connection();
const waiting = { ...own, bufferingSince: 1795775400 };
const change = { text: '{"sequence":4}' };
const end = { text: '{"sequence":5}', endsChannel: true };

describe('followersOf', () => {
  const channel = { kind: 'job', id: id('job') } as const;
  const pages = async (found = findFollowers(channel)) => {
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
    for await (const _page of findFollowers(channel)) commandCounts.push(sent().length);
    expect(commandCounts).toEqual([1, 2, 3]);
    expect(startKeys).toEqual([undefined, key, key]);
  });

  test('returns the followers of a device or a group for telemetry, and which of them asked for batches', async () => {
    const follower = { ...own, channel: `telemetry#${id('device')}` };
    const another = { ...follower, connectionId: 'socket-2', batch: true };
    await engine.put('connections', own, follower, another);
    await expect(pages(findTelemetryFollowers(id('device')))).resolves.toEqual([[follower, another]]);
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

describe('Who is noted as listening', () => {
  const at = Date.parse('2026-11-27T10:30:00.000Z');
  const now = new Date(at);
  const seconds = at / 1000;
  const assumed = seconds + LONGEST_CONNECTION_S;
  // An instance remembers what it has noted, so each test has an organisation of its own.
  let count = 0;
  const newOrganisation = () => `listen${String(++count).padStart(2, '0')}`;
  const writes = () => store.commandCalls(UpdateCommand).length;

  test('an organisation of which nothing is noted counts as connected for as long as a connection lasts', async () => {
    const organisation = newOrganisation();
    const both = { socketsUntil: assumed, topicUntil: assumed };
    await expect(readListeners(organisation, now)).resolves.toEqual(both);
    await expect(readListeners(organisation, new Date(at + 3_600_000))).resolves.toEqual(both);
    expect(writes()).toBe(1);
  });

  test('of a medium that is noted the end is that, and the other counts as connected', async () => {
    const organisation = newOrganisation();
    await noteListener(organisation, 'topic', seconds + 60);
    await expect(readListeners(organisation, now)).resolves.toEqual({
      socketsUntil: assumed,
      topicUntil: seconds + 1800,
    });
    await expect(readListeners(organisation, now)).resolves.toMatchObject({ socketsUntil: assumed });
  });

  test('a later end replaces an earlier one, which does not replace it', async () => {
    const organisation = newOrganisation();
    await engine.put('connections', {
      ...listenersKey(organisation),
      socketsUntil: seconds + 7200,
      topicUntil: 0,
    });
    await noteListener(organisation, 'sockets', seconds + 60);
    await noteListener(organisation, 'topic', seconds + 1800);
    await expect(readListeners(organisation, now)).resolves.toEqual({
      socketsUntil: seconds + 7200,
      topicUntil: seconds + 1800,
    });
  });

  test('who connects within a noted half hour costs no write', async () => {
    const organisation = newOrganisation();
    for (const until of [1, 900, 1800]) await noteListener(organisation, 'sockets', seconds + until);
    expect(writes()).toBe(1);
    await noteListener(organisation, 'sockets', seconds + 1801);
    await noteListener(organisation, 'topic', seconds + 1);
    expect(writes()).toBe(3);
  });

  test('what could not be noted is noted the next time', async () => {
    const organisation = newOrganisation();
    store.on(UpdateCommand).rejectsOnce(new Error('throttled'));
    await expect(noteListener(organisation, 'topic', seconds + 60)).rejects.toThrow('throttled');
    await noteListener(organisation, 'topic', seconds + 60);
    expect(writes()).toBe(2);
  });

  test('a note is kept for long after its end, and no longer', async () => {
    const organisation = newOrganisation();
    await noteListener(organisation, 'topic', seconds + 60);
    await expect(engine.all('connections')).resolves.toMatchObject([{ ttl: seconds + 1800 + 90 * 86_400 }]);
  });
});

describe('The renewal of a token', () => {
  const now = 1795775400;
  const item = connection({ openedAt: now - 60, expiresAt: now + 60 });
  const renew = (more: object = {}) => renewConnection(item, { expiresAt: now + 3600, ...more }, now);
  const extend = () => extendSubscription(item, now + 3600);
  const warn = () => noteWarning(item);

  test.each<[string, object | undefined, () => Promise<unknown>, unknown, object | undefined]>([
    ['moves the end of an open connection', {}, renew, true, { expiresAt: now + 3600 }],
    [
      'sets the scopes of a session with its end',
      { scopes: [] },
      () => renew({ scopes: ['resources:read'] }),
      true,
      { expiresAt: now + 3600, scopes: ['resources:read'] },
    ],
    ['leaves a connection that has just expired', { expiresAt: now }, renew, false, {}],
    ['does not open a closed connection', undefined, renew, false, undefined],
    [
      'moves the end of a subscription, also of one that has expired',
      { expiresAt: now },
      extend,
      undefined,
      { expiresAt: now + 3600 },
    ],
    ['does not bring back a subscription that has ended', undefined, extend, undefined, undefined],
    ['notes the end that the client is warned of', {}, warn, true, { warnedOf: now + 60 }],
    ['notes no warning for a connection that has been renewed', { expiresAt: now + 3600 }, warn, false, {}],
    ['notes no warning for a connection that has been closed', undefined, warn, false, undefined],
  ])('%s, by one command', async (_, before, call, result, after) => {
    if (before) await engine.put('connections', { ...item, ...before });
    await expect(call()).resolves.toBe(result);
    expect(await engine.all('connections')).toEqual(after ? [{ ...item, ...before, ...after }] : []);
    expect(store.calls()).toHaveLength(1);
  });

  test.each([
    ['renewConnection', renew],
    ['extendSubscription', extend],
    ['noteWarning', warn],
  ])('%s fails when DynamoDB does', async (_, write) => {
    store.rejects(new Error('throttled'));
    await expect(write()).rejects.toThrow('throttled');
  });
});

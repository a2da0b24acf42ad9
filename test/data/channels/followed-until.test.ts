import { noteFollowed, readFollowed, type Followed } from '../../../data/channels/followed-channels';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { TableName } from '../../../domain/values/table-names';
import { acme, id } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { onlyCommand, store } from '../fixtures/store';

const now = Date.parse('2026-11-27T10:30:00.000Z') / 1000;
// Timers go on: the SDK may wait for the engine.
beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(now * 1000));
const engine = storeOnEngine('fleet', 'jobs', 'shares');
const group: Followed = { kind: 'group', id: id('group') };

describe('noteFollowed', () => {
  test.each<[Followed, TableName, object]>([
    [group, 'fleet', fleetKey(acme, id('group'))],
    [{ kind: 'device', id: id('device') }, 'fleet', fleetKey(acme, id('device'))],
    [{ kind: 'job', id: id('job') }, 'jobs', { organisation: acme, jobId: id('job') }],
    [{ kind: 'share', id: id('share') }, 'shares', { organisation: acme, shareCode: id('share') }],
  ])('raises the end in the item of %j, if it exists', async (followed, table, key) => {
    await expect(noteFollowed(followed, 'topic', now + 60)).resolves.toBe(false);
    expect(await engine.all(table)).toEqual([]);
    const item = { ...key, name: 'North', topicUntil: now + 59, socketsUntil: 7 };
    await engine.put(table, item);
    await noteFollowed(followed, 'topic', now + 60);
    expect(await engine.all(table)).toEqual([{ ...item, topicUntil: now + 60, followedAt: now * 1000 }]);
  });

  test.each([
    ['never was', {}, true],
    ['was once', { socketsUntil: now - 60 }, true],
    ['will not be in a moment', { socketsUntil: now + 1 }, true],
    ['is by somebody else', { socketsUntil: now + 60, followedAt: (now - 60) * 1000 }, false],
    ['is since a second ago', { socketsUntil: now + 60, followedAt: (now - 1) * 1000 }, true],
    ['is since longer ago', { socketsUntil: now + 60, followedAt: (now - 1) * 1000 - 1 }, false],
  ])('says of what %s followed whether nobody followed it: %j, %s', async (_, before, isFirst) => {
    await engine.put('fleet', { ...fleetKey(acme, id('group')), ...before });
    await expect(noteFollowed(group, 'sockets', now + 7200)).resolves.toBe(isFirst);
  });

  test.each([
    ['since long', (now - 60) * 1000, false],
    ['since a second ago', (now - 1) * 1000, true],
  ])('leaves a later end, which is known %s', async (_, followedAt, isFirst) => {
    const item = { ...fleetKey(acme, id('group')), socketsUntil: now + 7200, followedAt };
    await engine.put('fleet', item);
    await expect(noteFollowed(group, 'sockets', now + 60)).resolves.toBe(isFirst);
    expect(await engine.all('fleet')).toEqual([item]);
  });

  describe('of a device', () => {
    const followed: Followed = { kind: 'device', id: id('device') };
    const deviceKey = fleetKey(acme, id('device'));
    const groupKey = fleetKey(acme, id('group'));
    const device = { ...deviceKey, kind: 'device', deviceGroupId: id('group') };
    const noted = async () => (await engine.get('fleet', groupKey))?.['membersFollowedAt'];

    test.each([
      ['that nobody followed', {}, now * 1000],
      ['that somebody follows since a moment ago', { socketsUntil: now + 60, followedAt: now * 1000 }, now * 1000],
      ['that somebody follows for longer', { socketsUntil: now + 60, followedAt: (now - 60) * 1000 }, undefined],
    ])('%s is noted in the item of its group when it is the first: %j, %d', async (_, before, expected) => {
      await engine.put('fleet', { ...device, ...before }, { ...groupKey, kind: 'group' });
      await noteFollowed(followed, 'sockets', now + 7200);
      expect(await noted()).toBe(expected);
    });

    test('is noted in its group when a later end stays too', async () => {
      const since = { socketsUntil: now + 7200, followedAt: now * 1000 };
      await engine.put('fleet', { ...device, ...since }, { ...groupKey, kind: 'group' });
      await expect(noteFollowed(followed, 'sockets', now + 60)).resolves.toBe(true);
      expect(await noted()).toBe(now * 1000);
    });

    test('whose group was removed creates none', async () => {
      await engine.put('fleet', device);
      await expect(noteFollowed(followed, 'sockets', now + 60)).resolves.toBe(true);
      expect(await engine.all('fleet')).toHaveLength(1);
    });

    test('is read with the item of its group', async () => {
      await engine.put('fleet', device, { ...groupKey, kind: 'group' });
      await noteFollowed(followed, 'sockets', now + 60);
      await expect(readFollowed(group)).resolves.toEqual({ membersFollowedAt: now * 1000 });
      await expect(readFollowed(followed)).resolves.toEqual({ socketsUntil: now + 60 });
    });
  });

  test('writes nothing for an identifier of another kind', async () => {
    await expect(noteFollowed({ kind: 'group', id: 'x' }, 'sockets', now)).resolves.toBe(false);
    expect(store).not.toHaveReceivedAnyCommand();
  });
});

describe('readFollowed', () => {
  test('is one consistent read', async () => {
    store.on(GetCommand).resolves({ Item: { socketsUntil: 1, topicUntil: 2 } });
    await expect(readFollowed(group)).resolves.toEqual({ socketsUntil: 1, topicUntil: 2 });
    expect(onlyCommand()).toMatchObject({ ConsistentRead: true, Key: fleetKey(acme, id('group')) });
  });

  test('of a group that does not exist finds no followers', async () => {
    store.on(GetCommand).resolves({});
    await expect(readFollowed(group)).resolves.toEqual({});
  });
});

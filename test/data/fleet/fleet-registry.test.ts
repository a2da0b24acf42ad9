import { isDeepStrictEqual } from 'node:util';
import { QueryCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { fleetKey } from '../../../data/fleet/fleet-key';
import {
  listStreams,
  registerDevice,
  registerGroup,
  registerStream,
  removeFromFleet,
  deleteRegistration,
} from '../../../data/fleet/fleet-registry';
import { acme, id } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { sent, store } from '../fixtures/store';
import { now, operations } from '../fixtures/operations';

const engine = storeOnEngine('fleet');

describe('Fleet registry', () => {
  const [deviceGroupId, deviceId, streamId] = [id('group'), id('device'), id('stream')];
  const at = new Date('2026-11-27T10:30:00.500Z');
  const [eventTime, earlier, later] = [at.toISOString(), '2026-11-27T10:30:00.499Z', '2026-11-27T10:30:00.501Z'];
  const ttl = Date.parse('2026-12-12T10:30:00.500Z') / 1000;
  const foreign = (own: string) => own.replace(acme, '00000000');

  const group = { kind: 'group', deviceGroupId, name: 'Dunes', description: '' };
  const stream = { kind: 'stream', streamId, deviceId, videoStream: 'dunes-1' };
  const device = { kind: 'device', deviceId, deviceGroupId, name: 'Gull 1' };
  const online = { ...device, status: 'online', version: 4, takeOff: { timestamp: earlier } };
  const tombstone = { kind: 'removed', ttl };
  const addGroup = () => registerGroup(acme, { deviceGroupId, name: 'Dunes', description: '' }, at);
  const register = () => registerDevice(acme, { deviceId, deviceGroupId, name: 'Gull 1' }, at);
  const addDevice = async () => (await register()) !== 'late';
  const addStream = () => registerStream(acme, { streamId, deviceId, videoStream: 'dunes-1' }, at);
  const remove = () => removeFromFleet(acme, 'device', deviceId, at);

  test.each<[string, string, () => Promise<boolean>, object | undefined, object, number]>([
    ['registerGroup stores a new group', deviceGroupId, addGroup, undefined, { ...group, eventTime }, 1],
    [
      'registerGroup changes a group, and not until when it is followed',
      deviceGroupId,
      addGroup,
      { ...group, name: 'Sea', eventTime: earlier, quiet: 'yes', topicUntil: 7 },
      { ...group, eventTime, topicUntil: 7 },
      1,
    ],
    [
      'registerGroup registers a removed group again, without an expiry',
      deviceGroupId,
      addGroup,
      { ...tombstone, eventTime, version: 2 },
      { ...group, eventTime, version: 2 },
      1,
    ],
    ['registerStream stores a stream with its device', streamId, addStream, undefined, { ...stream, eventTime }, 1],
    [
      'registerDevice makes a new device offline',
      deviceId,
      addDevice,
      undefined,
      { ...device, status: 'offline', eventTime },
      2,
    ],
    [
      'registerDevice registers a removed device again, offline, of the same version and without an expiry',
      deviceId,
      addDevice,
      { ...tombstone, eventTime, version: 6 },
      { ...device, status: 'offline', eventTime, version: 6 },
      2,
    ],
    [
      'registerDevice keeps status and version of a device that is as it was',
      deviceId,
      addDevice,
      { ...online, eventTime: earlier, quiet: 'yes' },
      { ...online, eventTime },
      2,
    ],
    [
      'registerDevice gives a device of another name another version, for its followers',
      deviceId,
      addDevice,
      { ...online, name: 'Gull', eventTime, quiet: 'yes' },
      { ...online, eventTime, version: 5 },
      1,
    ],
    [
      'registerDevice gives a device of another group another version, for its followers',
      deviceId,
      addDevice,
      { ...online, deviceGroupId: 'another', eventTime },
      { ...online, eventTime, version: 5 },
      1,
    ],
    [
      'removeFromFleet leaves a tombstone with time and version for longer than the bus archives events',
      deviceId,
      remove,
      {
        ...online,
        description: 'x',
        lastState: '{}',
        reportedAt: earlier,
        savedAt: earlier,
        transitions: 1,
        presentIn: acme,
        standsIn: acme,
        standsAt: '8.5000,47.4000',
        quiet: 'yes',
        eventTime,
      },
      { ...tombstone, eventTime, version: 6 },
      1,
    ],
    [
      'removeFromFleet leaves a tombstone of what does not exist',
      deviceId,
      remove,
      undefined,
      { ...tombstone, eventTime, version: 2 },
      1,
    ],
  ])('%s', async (_, ofId, write, before, after, commands) => {
    const key = fleetKey(acme, ofId);
    if (before) await engine.put('fleet', { ...key, ...before });
    await expect(write()).resolves.toBe(true);
    expect(await engine.all('fleet')).toEqual([{ ...key, ...after }]);
    expect(sent()).toHaveLength(commands);
  });

  test.each<[string, () => Promise<boolean>, object]>([
    ['a group', addGroup, { ...fleetKey(acme, deviceGroupId), ...group, name: 'Sea' }],
    ['a device', addDevice, { ...fleetKey(acme, deviceId), ...online, name: 'Gull' }],
    ['a device that is as it was', addDevice, { ...fleetKey(acme, deviceId), ...online }],
    ['a removed device', addDevice, { ...fleetKey(acme, deviceId), ...tombstone }],
    ['a stream', addStream, { ...fleetKey(acme, streamId), ...stream, videoStream: 'sea' }],
    ['a device, by its removal', remove, { ...fleetKey(acme, deviceId), ...online }],
  ])(
    'an event that is earlier than the one applied to %s returns false and changes nothing',
    async (_, write, before) => {
      const item = { ...before, eventTime: later };
      await engine.put('fleet', item);
      await expect(write()).resolves.toBe(false);
      expect(await engine.all('fleet')).toEqual([item]);
    },
  );

  test.each<[string, object | undefined, 'kept' | 'moved']>([
    ['a new device', undefined, 'kept'],
    ['a device of another name', { ...online, name: 'Gull', eventTime: earlier }, 'kept'],
    ['a device of another group', { ...online, deviceGroupId: 'another', eventTime: earlier }, 'moved'],
    ['a device that is as it was', { ...online, eventTime: earlier }, 'kept'],
    ['a device that the same event has changed, perhaps without what follows', { ...online, eventTime }, 'moved'],
  ])('registerDevice says whether %s may have moved', async (_, before, outcome) => {
    if (before) await engine.put('fleet', { ...fleetKey(acme, deviceId), ...before });
    await expect(register()).resolves.toBe(outcome);
  });

  test('errors of DynamoDB are passed on', async () => {
    store.onAnyCommand().rejects(new Error('throttled'));
    await expect(addDevice()).rejects.toThrow('throttled');
    await expect(removeFromFleet(acme, 'group', deviceGroupId, at)).rejects.toThrow('throttled');
  });

  test('deleteRegistration deletes the item without a tombstone', async () => {
    await addStream();
    await deleteRegistration(acme, 'stream', streamId);
    expect(await engine.all('fleet')).toEqual([]);
  });

  const strange: [string, () => Promise<unknown>][] = [
    [
      'a foreign group',
      () => registerGroup(acme, { deviceGroupId: foreign(deviceGroupId), name: 'A', description: '' }, at),
    ],
    [
      'a group that is a device',
      () => registerGroup(acme, { deviceGroupId: deviceId, name: 'A', description: '' }, at),
    ],
    ['a foreign device', () => registerDevice(acme, { deviceId: foreign(deviceId), deviceGroupId, name: 'A' }, at)],
    [
      'a device of a foreign group',
      () => registerDevice(acme, { deviceId, deviceGroupId: foreign(id('group')), name: 'A' }, at),
    ],
    ['a foreign stream', () => registerStream(acme, { streamId: foreign(streamId), deviceId, videoStream: 'a' }, at)],
    [
      'a stream of a foreign device',
      () => registerStream(acme, { streamId, deviceId: foreign(deviceId), videoStream: 'a' }, at),
    ],
    ['the removal of a foreign device', () => removeFromFleet(acme, 'device', foreign(deviceId), at)],
    ['an odd id', () => removeFromFleet(acme, 'device', 'device-1', at)],
    ['a foreign mistake', () => deleteRegistration(acme, 'device', foreign(deviceId))],
  ];
  test.each(strange)('no command is sent for %s', async (_, register) => {
    await expect(register()).rejects.toMatchObject({ code: 'forbidden' });
    expect(sent()).toHaveLength(0);
  });

  test('listStreams reads all pages', async () => {
    const { kind: _, ...found } = stream;
    store
      .on(QueryCommand)
      .resolvesOnce({ Items: [stream], LastEvaluatedKey: { id: streamId } })
      .resolves({ Items: [stream] });
    await expect(listStreams(acme)).resolves.toEqual([found, found]);
    expect(sent()).toMatchObject([
      { ExpressionAttributeValues: { ':partition': acme, ':stream': `stream-${acme}-` } },
      { ExclusiveStartKey: { id: streamId } },
    ]);
  });
});

describe('Quiet writes', () => {
  const at = new Date(now);
  const device = { deviceId: id('device'), deviceGroupId: id('group'), name: 'Kestrel' };
  const writers: typeof operations = [
    ...operations,
    ['registerDevice', () => registerDevice(acme, device, at)],
    ['removeFromFleet', () => removeFromFleet(acme, 'device', id('device'), at)],
  ];
  /** One is told to be quiet, the other changes nothing that the stream's readers look at. */
  const quiet = ['saveState in flight', 'noteFollowed'];

  const reportedAt = '2026-11-27T10:29:59.000Z';
  const item = {
    ...fleetKey(acme, id('device')),
    ...device,
    kind: 'device',
    status: 'online',
    version: 7,
    reportedAt,
    savedAt: reportedAt,
    quiet: 'yes',
  };
  /** Devices whose last change was quiet: each writer changes one of them at least. */
  const items = [
    item,
    { ...item, name: 'Osprey', status: 'offline' },
    { ...item, takeOff: { timestamp: now, altitude: 440 }, reportedAt: now },
  ];

  test.each(writers)(
    'a change of a device by %s is quiet only if it may be, so that it reaches those who read the stream',
    async (name, operation) => {
      store.resolves({});
      store.on(UpdateCommand, { TableName: 'fleet' }).callsFake(engine.answers('UpdateCommand'));
      await operation().catch(() => undefined);
      const isWriter = store.commandCalls(UpdateCommand, { TableName: 'fleet' }).length > 0;
      const changed: unknown[] = [];
      // Most operations are of other tables.
      for (const before of isWriter ? items : []) {
        await engine.put('fleet', before);
        await operation().catch(() => undefined);
        const after = await engine.get('fleet', before);
        if (!isDeepStrictEqual(after, before)) changed.push(after?.['quiet']);
      }
      expect(changed).toEqual(changed.map(() => (quiet.includes(name) ? 'yes' : undefined)));
      expect(changed.length > 0).toBe(isWriter);
      expect(sent().length).toBeGreaterThan(0);
      expect(store).not.toHaveReceivedCommandWith(PutCommand, { TableName: 'fleet' });
    },
  );
});

import { BatchGetCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { fleetKey, devicePartitions, registryPartition } from '../../../data/fleet/fleet-key';
import { listDeviceGroups, readDevice } from '../../../data/fleet/devices';
import { expectDeviceGroup, findSharedDevice, findVideoStream } from '../../../data/fleet/registered-parts';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { givenFleetItems } from '../fixtures/fleet-items';
import { givenPages, onlyCommand, sent, store } from '../fixtures/store';
import { newId } from '../../../data/store/new-id';
import {
  isTrailing,
  readOfflineCheck,
  readTrailing,
  scheduleOfflineCheck,
  scheduleTrailingSave,
} from '../../../data/fleet/device-checks';
import { queue } from '../../lambdas/fixtures/telemetry';

const group = { kind: 'group', deviceGroupId: id('group'), name: 'North quarry', description: '' };
const device = {
  kind: 'device',
  deviceId: id('device'),
  deviceGroupId: id('group'),
  name: 'Kestrel',
  status: 'online',
};
const stream = { kind: 'stream', streamId: id('stream'), deviceId: id('device'), videoStream: 'kestrel-1' };
const other = { ...device, deviceGroupId: id('group', acme, '01jd1111111111111111111111') };
/** What remains for a while of what was removed. */
const removed = { kind: 'removed', eventTime: '2026-11-27T10:30:00Z', ttl: 1_797_071_400 };
const fleet = (...found: object[]) => ({ Responses: { fleet: found as Record<string, unknown>[] } });

describe('expectDeviceGroup', () => {
  test.each([
    ['a group', undefined, fleet(group)],
    ['a group and a device of it', device.deviceId, fleet(device, group)],
  ])('finds %s by one consistent read', async (_, deviceId, found) => {
    store.on(BatchGetCommand).resolves(found);
    await expect(expectDeviceGroup(acme, group.deviceGroupId, deviceId)).resolves.toBeUndefined();
    const Keys = [group.deviceGroupId, deviceId].flatMap((each) => (each ? [fleetKey(acme, each)] : []));
    expect(onlyCommand()).toEqual({ RequestItems: { fleet: { Keys, ConsistentRead: true } } });
  });

  test.each([
    ['the group is not there', undefined, fleet(), 'device_group_not_found'],
    ['only the device is there', device.deviceId, fleet(device), 'device_group_not_found'],
    ['the device is not there', device.deviceId, fleet(group), 'invalid_request'],
    ['the device is of another group', device.deviceId, fleet(group, other), 'invalid_request'],
    ['the device is a stream', stream.streamId, fleet(group), 'invalid_request'],
    ['the group was removed', undefined, fleet(removed), 'device_group_not_found'],
    ['the device was removed', device.deviceId, fleet(group, removed), 'invalid_request'],
    ['the device has an odd name', 'kestrel', fleet(group), 'invalid_request'],
  ])('refuses when %s', async (_, deviceId, found, code) => {
    store.on(BatchGetCommand).resolves(found);
    await expect(expectDeviceGroup(acme, group.deviceGroupId, deviceId)).rejects.toMatchObject({ code });
  });

  test('refuses a group of another organisation only if it exists', async () => {
    const theirs = id('group', rival);
    store
      .on(BatchGetCommand)
      .resolvesOnce(fleet({ ...group, deviceGroupId: theirs }))
      .resolvesOnce(fleet());
    await expect(expectDeviceGroup(acme, theirs)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(expectDeviceGroup(acme, theirs)).rejects.toMatchObject({ code: 'device_group_not_found' });
  });

  test('refuses a device of another organisation in an own group', async () => {
    const theirs = { ...device, deviceId: id('device', rival), deviceGroupId: id('group', rival) };
    store.on(BatchGetCommand).resolves(fleet(group, theirs));
    const refused = expectDeviceGroup(acme, group.deviceGroupId, theirs.deviceId);
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request', details: [{ path: 'deviceId' }] });
  });

  test('sends no command for an id that is not a group id', async () => {
    await expect(expectDeviceGroup(acme, 'quarry')).rejects.toMatchObject({ code: 'device_group_not_found' });
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test.each([
    ['every key', {}],
    ['one key', fleet(group)],
  ])('fails when DynamoDB left out %s under throttling', async (_, found) => {
    const Keys = [fleetKey(acme, id('device'))];
    store.on(BatchGetCommand).resolves({ ...found, UnprocessedKeys: { fleet: { Keys } } });
    const failure: unknown = await expectDeviceGroup(acme, id('group'), id('device')).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'Error', message: expect.stringContaining('left out keys') as string });
  });

  test('fails for an item of unknown kind', async () => {
    store.on(BatchGetCommand).resolves(fleet({ ...group, kind: 'dock' }));
    await expect(expectDeviceGroup(acme, id('group'))).rejects.toMatchObject({ name: '$ZodError' });
  });
});

describe('findSharedDevice', () => {
  test.each([
    ['a device for itself', device, device.deviceId],
    ['the device of a stream', stream, stream.streamId],
  ])('returns %s by one consistent read', async (_, Item, resourceId) => {
    store.on(GetCommand).resolves({ Item });
    await expect(findSharedDevice(acme, resourceId)).resolves.toBe(device.deviceId);
    expect(onlyCommand()).toMatchObject({ Key: fleetKey(acme, resourceId), ConsistentRead: true });
  });

  test.each([
    ['it does not exist', undefined, device.deviceId, 'resource_not_found'],
    ['it belongs to another organisation', device, id('device', rival), 'forbidden'],
    ['it does not exist in another organisation', undefined, id('device', rival), 'resource_not_found'],
    ['it was removed', removed, device.deviceId, 'resource_not_found'],
    ['it was removed by another organisation', removed, id('device', rival), 'resource_not_found'],
    ['it is a group', group, device.deviceId, 'resource_not_found'],
  ])('refuses when %s', async (_, Item, resourceId, code) => {
    store.on(GetCommand).resolves(Item ? { Item } : {});
    await expect(findSharedDevice(acme, resourceId)).rejects.toMatchObject({ code });
  });

  test.each([id('group'), id('job'), 'kestrel', ''])(
    'sends no command for "%s", which cannot be shared',
    async (odd) => {
      await expect(findSharedDevice(acme, odd)).rejects.toMatchObject({ code: 'resource_not_found' });
      expect(store).not.toHaveReceivedAnyCommand();
    },
  );

  test('fails for an invalid item', async () => {
    store.on(GetCommand).resolves({ Item: { ...device, deviceGroupId: 7 } });
    await expect(findSharedDevice(acme, device.deviceId)).rejects.toMatchObject({ name: '$ZodError' });
  });
});

describe('readDevice', () => {
  test.each([
    ['gives it with its last state', device, { deviceId: device.deviceId, status: 'online' }],
    ['gives nothing for an item of another kind', group, undefined],
    ['gives nothing when the fleet has it no more', undefined, undefined],
    ['gives nothing when it was removed', removed, undefined],
  ])('%s', async (_, Item, expected) => {
    store.on(GetCommand).resolves(Item ? { Item } : {});
    const found = await readDevice(acme, device.deviceId);
    if (expected) expect(found).toMatchObject(expected);
    else expect(found).toBeUndefined();
  });
});

describe('listDeviceGroups', () => {
  const devices = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((end) => ({
    ...device,
    deviceId: id('device', acme, end.padStart(26, '0')),
  }));

  test('returns the devices of all partitions in the order of their creation, without streams and tombstones', async () => {
    givenFleetItems([...devices.toReversed(), stream, group]);
    const [found] = await listDeviceGroups(acme);
    expect(found).toMatchObject({ deviceGroupId: group.deviceGroupId, deviceCount: devices.length });
    expect(found?.devices.map(({ deviceId }) => deviceId)).toEqual(devices.map(({ deviceId }) => deviceId));
  });

  test('reads all pages of a partition', async () => {
    const key = fleetKey(acme, group.deviceGroupId);
    store.on(QueryCommand).resolves({ Items: [] });
    const groups = { ':partition': acme, ':kind': 'group-' };
    const startKeys = givenPages(store.on(QueryCommand, { ExpressionAttributeValues: groups }), [
      { Items: [removed], LastEvaluatedKey: key },
      { Items: [group] },
    ]);
    await expect(listDeviceGroups(acme)).resolves.toMatchObject([{ deviceGroupId: group.deviceGroupId }]);
    expect(startKeys).toEqual([undefined, key]);
    expect(sent()).toHaveLength(10);
  });

  test('is one query for the groups and eight for the devices, and empty without groups', async () => {
    store.on(QueryCommand).resolves({ Items: [] });
    await expect(listDeviceGroups(acme)).resolves.toEqual([]);
    const partitions = [acme, ...[0, 1, 2, 3, 4, 5, 6, 7].map((number) => `${acme}#${number}`)];
    expect(
      sent().map(({ ExpressionAttributeValues: values }) => (values as { ':partition': string })[':partition']),
    ).toEqual(partitions);
  });

  test('skips items of unknown kind', async () => {
    jest.spyOn(console, 'error').mockReturnValue();
    store.on(QueryCommand).resolves({ Items: [{ ...device, kind: 'kite' }] });
    store
      .on(QueryCommand, { ExpressionAttributeValues: { ':partition': acme, ':kind': 'group-' } })
      .resolves({ Items: [group] });
    await expect(listDeviceGroups(acme)).resolves.toMatchObject([
      { deviceGroupId: group.deviceGroupId, deviceCount: 0 },
    ]);
  });

  test('fails when a later page fails, instead of returning a part', async () => {
    const fault = new Error('throttled');
    store
      .on(QueryCommand)
      .resolvesOnce({ Items: [group], LastEvaluatedKey: { id: 'x' } })
      .rejects(fault);
    await expect(listDeviceGroups(acme)).rejects.toBe(fault);
  });
});

describe('findVideoStream', () => {
  const second = { ...stream, streamId: id('stream', acme, '01jd2222222222222222222222'), videoStream: 'kestrel-2' };
  beforeEach(() => {
    store.on(QueryCommand).resolves({ Items: [stream, second] });
  });

  test.each([
    ['of a device returns that of its first stream', device.deviceId, 'kestrel-1'],
    ['of the first stream returns that', stream.streamId, 'kestrel-1'],
    ['of the second stream returns that', second.streamId, 'kestrel-2'],
    ['of a deleted stream returns undefined', id('stream', acme, '01jd3333333333333333333333'), undefined],
  ])('%s', async (_, resourceId, expected) => {
    await expect(findVideoStream(acme, resourceId, device.deviceId)).resolves.toBe(expected);
  });
});

describe('fleetKey', () => {
  test('spreads the devices of an organisation evenly over its partitions', () => {
    const counts = new Map<string, number>(devicePartitions(acme).map((partition) => [partition, 0]));
    for (let n = 0; n < 8000; n++) {
      const { fleetPartition } = fleetKey(acme, newId('device', acme));
      counts.set(fleetPartition, (counts.get(fleetPartition) ?? 0) + 1);
    }
    expect(counts.size).toBe(8);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(200);
  });

  // A device would no longer be found under another key.
  test.each([
    ['00000000000000000000000001', 2],
    ['01jd1111111111111111111111', 6],
    ['01kb1x5m9v3f8q2r7t6w4y0z1a', 7],
  ])('of the device %s never changes', (unique, number) => {
    const deviceId = id('device', acme, unique);
    expect(fleetKey(acme, deviceId)).toEqual({ fleetPartition: `${acme}#${number}`, id: deviceId });
  });

  test.each(['group', 'stream'] as const)('of a %s is in the partition of the registry', (kind) => {
    expect(fleetKey(acme, id(kind))).toEqual({ fleetPartition: registryPartition(acme), id: id(kind) });
  });
});

describe('Device checks', () => {
  const watched = { organisation: acme, deviceId: id('device') };

  test.each([
    [30_000, 29],
    [29_001, 29],
    [29_000, 28],
    [1, 1],
  ])(
    'a check after %d ms is a message with a delay of %d s, since the batching window takes another second',
    async (delay, DelaySeconds) => {
      await scheduleOfflineCheck(watched, delay);
      const MessageBody = JSON.stringify(watched);
      expect(queue).toHaveReceivedCommandTimes(SendMessageCommand, 1);
      const QueueUrl = 'https://queue.test/silence';
      expect(queue).toHaveReceivedCommandWith(SendMessageCommand, { QueueUrl, MessageBody, DelaySeconds });
      expect(readOfflineCheck(JSON.parse(MessageBody))).toEqual(watched);
    },
  );

  test.each(['', {}, [], null, { deviceId: id('device') }])(
    'the message %j is refused as no offline check',
    (message) => {
      expect(() => readOfflineCheck(message)).toThrow();
    },
  );

  test('scheduleOfflineCheck fails without DEVICE_CHECK_QUEUE_URL', async () => {
    const { DEVICE_CHECK_QUEUE_URL } = process.env;
    delete process.env['DEVICE_CHECK_QUEUE_URL'];
    await expect(scheduleOfflineCheck(watched, 1)).rejects.toThrow('DEVICE_CHECK_QUEUE_URL is not set');
    process.env['DEVICE_CHECK_QUEUE_URL'] = DEVICE_CHECK_QUEUE_URL;
  });

  const at = new Date('2026-11-27T10:30:00.000Z');
  const samples = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      deviceId: id('device', acme, String(index).padStart(26, '0')),
      timestamp: at.toISOString(),
    }));
  const sent = () =>
    queue
      .commandCalls(SendMessageCommand)
      .map(({ args: [{ input }] }) => [input.DelaySeconds, JSON.parse(input.MessageBody ?? '')] as const);

  test.each([
    [0, []],
    [1, [1]],
    [20, [20]],
    [40, [20, 20]],
  ])('%d samples are sent in messages of %j, delayed by a second, and parsed again', async (count, lengths) => {
    await scheduleTrailingSave(acme, samples(count), at);
    expect(sent().map(([delay]) => delay)).toEqual(lengths.map(() => 1));
    const read = sent().map(([, message]) => readTrailing(message));
    expect(sent().every(([, message]) => isTrailing(message))).toBe(true);
    expect(read.map(({ trailing }) => trailing.length)).toEqual(lengths);
    expect(read.flatMap(({ trailing }) => trailing)).toEqual(samples(count));
    for (const message of read) expect(message).toMatchObject({ organisation: acme, at: at.toISOString() });
  });

  test('forty samples of maximum size fit into messages of 256 kB', async () => {
    const large = samples(40).map((sample) => ({
      ...sample,
      sensorPayload: { x: 'x'.repeat(8100) },
      jobId: '\u0001'.repeat(256),
    }));
    await scheduleTrailingSave(acme, large, at);
    for (const {
      args: [{ input }],
    } of queue.commandCalls(SendMessageCommand))
      expect(Buffer.byteLength(input.MessageBody ?? '')).toBeLessThan(256 * 1024);
  });

  test.each([null, 'trailing', {}, [], { organisation: acme, deviceId: 'x' }])(
    '%j is not a message with trailing states',
    (message) => {
      expect(isTrailing(message)).toBe(false);
    },
  );

  test.each([{ trailing: [] }, { organisation: acme, at: at.toISOString(), trailing: [{ deviceId: 'x' }] }])(
    'the message %j is refused as malformed',
    (message) => {
      expect(isTrailing(message)).toBe(true);
      expect(() => readTrailing(message)).toThrow();
    },
  );
});

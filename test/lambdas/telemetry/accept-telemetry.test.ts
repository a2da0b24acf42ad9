import { BatchGetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { acceptTelemetry } from '../../../lambdas/telemetry/accept-telemetry';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { store, conditionFailed } from '../../data/fixtures/store';
import {
  at,
  delivered,
  givenDevice,
  givenDevices,
  now,
  reported,
  sampleAt,
  written,
  queuedStates,
} from '../fixtures/reported-devices';
import { newDeviceId, deviceItem, queue } from '../fixtures/telemetry';
import { storeOnEngine } from '../../data/fixtures/engine';

describe('A sample', () => {
  test('is delivered unchanged, with its device, its group, its sequence and when it was received', async () => {
    const deviceId = givenDevice();
    const state = { droneState: 'HOVER', battery: { percent: 80 } };
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, -50, state)], now)).resolves.toMatchObject({ accepted: 1 });
    expect(delivered(deviceId)).toEqual([
      {
        type: 'device.telemetry',
        deviceId,
        deviceGroupId: id('group'),
        sequence: now.getTime() - 50,
        receivedAt: now.toISOString(),
        timestamp: at(-50),
        ...state,
      },
    ]);
  });

  test.each([
    ['older than the saved one', -2001],
    ['with the timestamp of the saved one', -2000],
  ])('%s is neither delivered nor saved nor counted', async (_, ms) => {
    const deviceId = givenDevice(reported(-2000));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, ms)], now)).resolves.toMatchObject({ accepted: 0 });
    expect(delivered(deviceId)).toEqual([]);
    expect(written()).toEqual([undefined]);
  });

  test.each([
    ['older than', 99],
    ['with the timestamp of', 100],
  ])('%s the last one is not delivered, even if the last one was not saved', async (_, ms) => {
    const deviceId = givenDevice(reported(0));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 100)], now)).resolves.toMatchObject({ accepted: 1 });
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, ms)], now)).resolves.toMatchObject({ accepted: 0 });
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 101)], now)).resolves.toMatchObject({ accepted: 1 });
    expect(delivered(deviceId).map(({ timestamp }) => timestamp)).toEqual([at(100), at(101)]);
  });

  test('may be up to 60 seconds in the future', async () => {
    const deviceId = givenDevice();
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 60_001)], now)).resolves.toEqual({
      warnings: [],
      accepted: 0,
      recorded: 0,
      refused: [{ index: 0, path: 'timestamp', message: 'is more than 60 seconds in the future', isUnknown: false }],
    });
    expect(delivered(deviceId)).toEqual([]);
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 60_000)], now)).resolves.toMatchObject({ accepted: 1 });
  });
});

describe('A list of samples', () => {
  test('is delivered in the order of timestamps, each once, and its newest is saved', async () => {
    const deviceId = givenDevice();
    const samples = [300, 100, 200, 100].map((ms) => sampleAt(deviceId, ms));
    await expect(acceptTelemetry(acme, samples, now)).resolves.toMatchObject({ accepted: 3 });
    expect(delivered(deviceId).map(({ timestamp }) => timestamp)).toEqual([at(100), at(200), at(300)]);
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
    expect(written()).toEqual([at(300)]);
  });

  test('of several devices costs one read, and is checked per device', async () => {
    const [one = '', other = ''] = givenDevices({}, reported(-2000));
    const samples = [sampleAt(one, 0), sampleAt(other, -3000), sampleAt(one, 10), sampleAt(other, 0)];
    await expect(acceptTelemetry(acme, samples, now)).resolves.toMatchObject({ accepted: 3 });
    expect(delivered(one)).toHaveLength(2);
    expect(delivered(other)).toHaveLength(1);
    expect(store).toHaveReceivedCommandTimes(BatchGetCommand, 1);
    expect(store).toHaveReceivedCommandWith(BatchGetCommand, {
      RequestItems: {
        fleet: { Keys: [one, other].map((deviceId) => fleetKey(acme, deviceId)), ConsistentRead: true },
      },
    });
  });

  test('with invalid samples has these refused, each with its fault, and the others accepted', async () => {
    const deviceId = givenDevice();
    const foreign = id('device', rival);
    const samples = [
      sampleAt(foreign, 90_000),
      sampleAt(deviceId, 0),
      sampleAt(id('group'), 0),
      sampleAt(deviceId, 90_000),
      sampleAt(newDeviceId(), 0),
      sampleAt(deviceId, 1),
    ];
    await expect(acceptTelemetry(acme, samples, now)).resolves.toEqual({
      warnings: [],
      accepted: 2,
      recorded: 0,
      refused: [
        { index: 0, path: 'deviceId', message: 'is not a device of yours', isUnknown: true },
        { index: 2, path: 'deviceId', message: 'is not a device of yours', isUnknown: true },
        { index: 3, path: 'timestamp', message: 'is more than 60 seconds in the future', isUnknown: false },
        { index: 4, path: 'deviceId', message: 'is not a device of yours', isUnknown: true },
      ],
    });
    expect(delivered(deviceId).map(({ timestamp }) => timestamp)).toEqual([at(0), at(1)]);
    expect(written()).toEqual([at(1)]);
  });
});

describe('The last known state', () => {
  test.each([
    ['if it never reported', {}],
    ['half a second after the last write', reported(-500)],
    ['on a transition', reported(-499, { droneState: 'WAYPOINT' })],
  ])('of a device is saved at once %s: %j', async (_, change) => {
    const deviceId = givenDevice(change);
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0, { droneState: 'LANDED' })], now)).resolves.toMatchObject({
      accepted: 1,
    });
    expect(written()).toEqual([at(0)]);
    expect(queuedStates()).toEqual([]);
    expect(delivered(deviceId)).toHaveLength(1);
  });

  test('of a device that only moves is saved a second later, from the newest sample in a queue message', async () => {
    const [one = '', other = ''] = givenDevices(reported(-499), reported(-1));
    const samples = [sampleAt(one, 5), sampleAt(one, 7), sampleAt(one, 6), sampleAt(other, 8)];
    await expect(acceptTelemetry(acme, samples, now)).resolves.toMatchObject({ accepted: 4 });
    expect(written()).toEqual([]);
    const trailing = [sampleAt(one, 7), sampleAt(other, 8)];
    expect(queuedStates()).toEqual([{ organisation: acme, at: at(0), trailing, delay: 1 }]);
  });

  test('is saved a second later when another function has written within the last second', async () => {
    const deviceId = givenDevice(reported(-1000));
    store.on(UpdateCommand).rejects(conditionFailed(deviceItem(deviceId, reported(-10))));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0)], now)).resolves.toMatchObject({ accepted: 1 });
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
    expect(queuedStates()).toMatchObject([{ trailing: [sampleAt(deviceId, 0)] }]);
  });

  test('is not saved when another function has saved a later one, after which the sample is no news', async () => {
    const deviceId = givenDevice();
    const later = deviceItem(deviceId, { socketsUntil: 4e9, ...reported(1) });
    store.on(UpdateCommand).rejects(conditionFailed(later));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0)], now)).resolves.toMatchObject({ accepted: 0 });
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
    expect(queuedStates()).toEqual([]);
    expect(delivered(deviceId)).toEqual([]);
  });

  test('is given up after four attempts that other writes preceded; the sample is new when it is sent again', async () => {
    const deviceId = givenDevice(reported(-2000));
    store.on(UpdateCommand).rejects(conditionFailed(deviceItem(deviceId, reported(-2000))));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0)], now)).rejects.toThrow('other writes came first');
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 4);
    store.on(UpdateCommand).resolves({ Attributes: deviceItem(deviceId, reported(-2000)) });
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0)], now)).resolves.toMatchObject({ accepted: 1 });
  });

  test.each([
    ['the queue', () => queue.rejectsOnce(new Error('no queue')), reported(-1)],
    [
      'the store',
      (Attributes: Record<string, unknown>) =>
        store.on(UpdateCommand).rejectsOnce(new Error('no store')).resolves({ Attributes }),
      {},
    ],
  ])('that %s did not accept fails the message, and is new when it is sent again', async (_, fail, change) => {
    const deviceId = givenDevice(change);
    fail(deviceItem(deviceId, change));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 5)], now)).rejects.toThrow('no ');
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 5)], now)).resolves.toMatchObject({ accepted: 1 });
  });

  test('of the other devices is saved when one fails', async () => {
    const [broken = '', early = ''] = givenDevices({}, reported(-1));
    store.on(UpdateCommand).rejects(new Error('no store'));
    const samples = [sampleAt(broken, 5), sampleAt(early, 5)];
    await expect(acceptTelemetry(acme, samples, now)).rejects.toThrow('no store');
    expect(queuedStates()).toMatchObject([{ trailing: [sampleAt(early, 5)] }]);
  });
});

describe('A device', () => {
  test('that was offline gets an offline check before it is marked online', async () => {
    const deviceId = givenDevice({ ...reported(-60_000), status: 'offline' });
    queue.rejects(new Error('no queue'));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0)], now)).rejects.toThrow('no queue');
    expect(store).not.toHaveReceivedCommand(UpdateCommand);

    queue.resolves({});
    await acceptTelemetry(acme, [sampleAt(deviceId, 10)], now);
    expect(queue).toHaveReceivedCommandWith(SendMessageCommand, {
      QueueUrl: 'https://queue.test/silence',
      MessageBody: JSON.stringify({ organisation: acme, deviceId }),
      DelaySeconds: 29,
    });
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
  });

  test('that is online already gets no second check', async () => {
    const deviceId = givenDevice(reported(-2000));
    await acceptTelemetry(acme, [sampleAt(deviceId, 0)], now);
    expect(written()).toEqual([at(0)]);
    expect(queue).not.toHaveReceivedAnyCommand();
  });

  test('that was marked offline since it was read gets another check', async () => {
    const deviceId = givenDevice(reported(-30_000));
    const offline = deviceItem(deviceId, { ...reported(-30_000), status: 'offline' });
    store.on(UpdateCommand).rejectsOnce(conditionFailed(offline)).resolves({ Attributes: offline });
    await acceptTelemetry(acme, [sampleAt(deviceId, 0)], now);
    expect(queue).toHaveReceivedCommandTimes(SendMessageCommand, 1);
    expect(written()).toEqual([at(0), at(0)]);
  });
});

describe('A sample that is not later than the last one', () => {
  /** The last state of a device whose clock was 55 seconds ahead. */
  const ahead = (change: object = {}) => ({
    ...reported(-1000),
    lastState: JSON.stringify({ timestamp: at(54_000) }),
    ...change,
  });
  const engine = storeOnEngine('fleet');
  /** Stores a device in the engine. */
  const given = async (change: object) => {
    const deviceId = givenDevice(change);
    const item = deviceItem(deviceId, { ...fleetKey(acme, deviceId), version: 4, ...change });
    await engine.put('fleet', item);
    store.on(BatchGetCommand).callsFake(engine.answers('BatchGetCommand'));
    store.on(UpdateCommand).callsFake(engine.answers('UpdateCommand'));
    return { deviceId, item, after: () => engine.get('fleet', item) };
  };

  test('updates when its device last reported, but not its state', async () => {
    const { deviceId, item, after } = await given(ahead());
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0)], now)).resolves.toMatchObject({ accepted: 0 });
    expect(await after()).toEqual({ ...item, reportedAt: at(0) });
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
    expect(queue).not.toHaveReceivedAnyCommand();
  });

  test('marks an offline device online, after scheduling its offline check', async () => {
    const { deviceId, item, after } = await given(ahead({ status: 'offline' }));
    queue.rejectsOnce(new Error('no queue'));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0)], now)).rejects.toThrow('no queue');
    expect(store).not.toHaveReceivedCommand(UpdateCommand);
    await acceptTelemetry(acme, [sampleAt(deviceId, 0)], now);
    expect(await after()).toEqual({ ...item, status: 'online', reportedAt: at(0), presentIn: acme, version: 5 });
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
  });

  test('is recorded at most once a second, and ignored when the device was removed', async () => {
    const { deviceId } = await given(ahead({ reportedAt: at(-999) }));
    await acceptTelemetry(acme, [sampleAt(deviceId, 0)], now);
    expect(store).not.toHaveReceivedCommand(UpdateCommand);
    const other = await given(ahead());
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(acceptTelemetry(acme, [sampleAt(other.deviceId, 0)], now)).resolves.toMatchObject({ accepted: 0 });
  });

  test('is recorded once a second too when its instance has recorded the one before', async () => {
    const { deviceId } = await given(ahead());
    for (const ms of [0, 100, 900, 1000, 1100]) await acceptTelemetry(acme, [sampleAt(deviceId, ms)], new Date(at(ms)));
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 2);
  });

  test('is ignored when it was reported long ago, as in a replay', async () => {
    const { deviceId } = await given(ahead({ status: 'offline' }));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0)], now, new Date(at(-30_000)))).resolves.toMatchObject({
      accepted: 0,
    });
    expect(store).not.toHaveReceivedCommand(UpdateCommand);
    await acceptTelemetry(acme, [sampleAt(deviceId, 0)], now, new Date(at(-29_999)));
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
  });
});

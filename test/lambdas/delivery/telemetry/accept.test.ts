import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { BatchGetCommand, UpdateCommand } from '../../../../data/store/document-client';
import { acceptTelemetry } from '../../../../lambdas/delivery/telemetry/accept';
import { acme, id, rival } from '../../../domain/fixtures/samples';
import { conditionFailed, store } from '../../../data/fixtures/store';
import { deviceItem, givenFollowers, newDeviceId, queue, sentTo } from '../../fixtures/telemetry';

const now = new Date('2026-11-27T10:30:00.000Z');
const at = (ms: number) => new Date(now.getTime() + ms).toISOString();
const sampleAt = (deviceId: string, ms: number, change: object = {}) => ({ deviceId, timestamp: at(ms), ...change });

/** Lets the fleet have these devices; gives the identifier of the first. */
function givenDevices(...changes: object[]): string[] {
  const ids = changes.map(() => newDeviceId());
  const fleet = ids.map((deviceId, index) => deviceItem(deviceId, changes[index]));
  store.resolves({});
  store.on(BatchGetCommand).resolves({ Responses: { fleet } });
  for (const deviceId of ids) givenFollowers(deviceId, `follower of ${deviceId}`);
  return ids;
}
const givenDevice = (change: object = {}) => String(givenDevices(change)[0]);
const heard = (deviceId: string) => sentTo(`follower of ${deviceId}`);
const reported = (ms: number, state: object = {}) => ({
  status: 'online',
  reportedAt: at(ms),
  keptAt: at(ms),
  lastState: JSON.stringify({ timestamp: at(ms), ...state }),
});

describe('A sample', () => {
  test('is delivered as it came, with its device, its group, its order and when it came in.', async () => {
    const deviceId = givenDevice();
    const state = { droneState: 'HOVER', battery: { percent: 80 } };
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, -50, state)], now)).resolves.toBe(1);
    expect(heard(deviceId)).toEqual([
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
    ['older than the one that is kept', -2001],
    ['of the same moment as the one that is kept', -2000],
  ])('%s is delivered to nobody, kept nowhere and not counted.', async (_, ms) => {
    const deviceId = givenDevice(reported(-2000));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, ms)], now)).resolves.toBe(0);
    expect(heard(deviceId)).toEqual([]);
    expect(written()).toEqual([undefined]);
  });

  test.each([
    ['older than', 99],
    ['of the same moment as', 100],
  ])('%s the last one is delivered to nobody, also between two that are kept.', async (_, ms) => {
    const deviceId = givenDevice(reported(0));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 100)], now)).resolves.toBe(1);
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, ms)], now)).resolves.toBe(0);
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 101)], now)).resolves.toBe(1);
    expect(heard(deviceId).map(({ timestamp }) => timestamp)).toEqual([at(100), at(101)]);
  });

  test('may be 60 seconds ahead of our clock, and no more.', async () => {
    const deviceId = givenDevice();
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 60_001)], now)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'telemetry.0.timestamp', message: 'is more than 60 seconds in the future' }],
    });
    expect(heard(deviceId)).toEqual([]);
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 60_000)], now)).resolves.toBe(1);
  });
});

test.each([
  ['a moment beyond the year 9999', { timestamp: '+010000-01-01T00:59:59.000Z' }],
  ['a figure beyond its bounds', { battery: { percent: 101 } }],
  ['a figure that JSON does not know', { navigation: { velocity: { groundSpeed: NaN } } }],
])('A sample that could not be read once it is kept, such as %s, is refused and written nowhere.', async (_, state) => {
  const deviceId = givenDevice();
  await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0, state)], now)).rejects.toMatchObject({
    code: 'invalid_request',
    details: expect.arrayContaining([{ path: 'telemetry.0', message: 'can not be kept' }]) as unknown,
  });
  expect(sentTo()).toEqual([]);
  expect(store).not.toHaveReceivedCommand(UpdateCommand);
});

describe('A list of samples', () => {
  test('is delivered in the order of its moments, each once, and its newest is kept.', async () => {
    const deviceId = givenDevice();
    const samples = [300, 100, 200, 100].map((ms) => sampleAt(deviceId, ms));
    await expect(acceptTelemetry(acme, samples, now)).resolves.toBe(3);
    expect(heard(deviceId).map(({ timestamp }) => timestamp)).toEqual([at(100), at(200), at(300)]);
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
    expect(store).toHaveReceivedCommandWith(UpdateCommand, {
      ExpressionAttributeValues: expect.objectContaining({ ':stateAt': at(300) }) as Record<string, unknown>,
    });
  });

  test('of several devices takes one read, and each device has its own news.', async () => {
    const [one = '', other = ''] = givenDevices({}, reported(-2000));
    const samples = [sampleAt(one, 0), sampleAt(other, -3000), sampleAt(one, 10), sampleAt(other, 0)];
    await expect(acceptTelemetry(acme, samples, now)).resolves.toBe(3);
    expect(heard(one)).toHaveLength(2);
    expect(heard(other)).toHaveLength(1);
    expect(store).toHaveReceivedCommandTimes(BatchGetCommand, 1);
    expect(store).toHaveReceivedCommandWith(BatchGetCommand, {
      RequestItems: {
        fleet: { Keys: [one, other].map((deviceId) => ({ organisation: acme, id: deviceId })), ConsistentRead: true },
      },
    });
  });

  test('is taken not at all when one of it is wrong; every fault is named.', async () => {
    const deviceId = givenDevice();
    const foreign = id('device', rival);
    const samples = [sampleAt(deviceId, 0), sampleAt(foreign, 90_000), sampleAt(id('group'), 0)];
    await expect(acceptTelemetry(acme, samples, now)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [
        { path: 'telemetry.1.deviceId', message: 'is not a device of yours' },
        { path: 'telemetry.1.timestamp', message: 'is more than 60 seconds in the future' },
        { path: 'telemetry.2.deviceId', message: 'is not a device of yours' },
      ],
    });
    expect(sentTo()).toEqual([]);
    expect(store).not.toHaveReceivedCommand(UpdateCommand);
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0)], now)).resolves.toBe(1);
  });
});

/** What was put into the queue, to be kept later, in messages that are held back for so long. */
const keptLater = () =>
  queue.commandCalls(SendMessageCommand).flatMap(({ args: [{ input }] }) => {
    const message = JSON.parse(input.MessageBody ?? '') as { trailing?: unknown };
    return message.trailing ? [{ ...message, delay: input.DelaySeconds }] : [];
  });
const written = () =>
  store
    .commandCalls(UpdateCommand)
    .map(({ args: [{ input }] }) => input.ExpressionAttributeValues?.[':stateAt'] as string);

describe('The last known state', () => {
  test.each([
    ['when it never reported', {}],
    ['a second after that was done last', reported(-1000)],
    ['when it turns', reported(-999, { droneState: 'WAYPOINT' })],
  ])('of a device is written at once, %s: %j.', async (_, change) => {
    const deviceId = givenDevice(change);
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0, { droneState: 'LANDED' })], now)).resolves.toBe(1);
    expect(written()).toEqual([at(0)]);
    expect(keptLater()).toEqual([]);
    expect(heard(deviceId)).toHaveLength(1);
  });

  test('of a device that only moves is kept in a second: the sample itself is in the message, the newest of a list.', async () => {
    const [one = '', other = ''] = givenDevices(reported(-999), reported(-1));
    const samples = [sampleAt(one, 5), sampleAt(one, 7), sampleAt(one, 6), sampleAt(other, 8)];
    await expect(acceptTelemetry(acme, samples, now)).resolves.toBe(4);
    expect(written()).toEqual([]);
    const trailing = [sampleAt(one, 7), sampleAt(other, 8)];
    expect(keptLater()).toEqual([{ organisation: acme, at: at(0), trailing, delay: 1 }]);
  });

  test('is kept in a second when another function has written within the last one.', async () => {
    const deviceId = givenDevice(reported(-1000));
    store.on(UpdateCommand).rejects(conditionFailed({ deviceId, stateAt: at(-10) }));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0)], now)).resolves.toBe(1);
    expect(keptLater()).toMatchObject([{ trailing: [sampleAt(deviceId, 0)] }]);
  });

  test('is no fault when another function has kept a later one.', async () => {
    const deviceId = givenDevice();
    store.on(UpdateCommand).rejects(conditionFailed({ deviceId, stateAt: at(1) }));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0)], now)).resolves.toBe(1);
    expect(keptLater()).toEqual([]);
  });

  test.each([
    ['the queue', () => queue.rejectsOnce(new Error('no queue')), reported(-1)],
    ['the store', () => store.on(UpdateCommand).rejectsOnce(new Error('no store')).resolves({}), {}],
  ])('that %s did not take fails the message, and is news when it comes again.', async (_, fail, change) => {
    const deviceId = givenDevice(change);
    fail();
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 5)], now)).rejects.toThrow('no ');
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 5)], now)).resolves.toBe(1);
  });

  test('of the other devices is kept when one could not be.', async () => {
    const [broken = '', early = ''] = givenDevices({}, reported(-1));
    store.on(UpdateCommand).rejects(new Error('no store'));
    const samples = [sampleAt(broken, 5), sampleAt(early, 5)];
    await expect(acceptTelemetry(acme, samples, now)).rejects.toThrow('no store');
    expect(keptLater()).toMatchObject([{ trailing: [sampleAt(early, 5)] }]);
  });
});

describe('A device', () => {
  test('that was offline is watched for silence, before it goes online.', async () => {
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

  test('that is online already is not watched once more.', async () => {
    const deviceId = givenDevice(reported(-2000));
    store.on(UpdateCommand).resolves({ Attributes: { status: 'online' } });
    await acceptTelemetry(acme, [sampleAt(deviceId, 0)], now);
    expect(queue).not.toHaveReceivedAnyCommand();
  });

  test('that was made offline since it was read is watched again.', async () => {
    const deviceId = givenDevice(reported(-30_000));
    store.on(UpdateCommand).resolves({ Attributes: { status: 'offline' } });
    await acceptTelemetry(acme, [sampleAt(deviceId, 0)], now);
    expect(queue).toHaveReceivedCommandTimes(SendMessageCommand, 1);
  });
});

describe('A sample that is not later than the last one', () => {
  /** Its clock was 55 seconds ahead for a moment. */
  const ahead = (change: object = {}) => ({
    ...reported(-1000),
    lastState: JSON.stringify({ timestamp: at(54_000) }),
    ...change,
  });
  const updates = () => store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input);

  test('shows that its device is there: what is known of it stays, and when it was heard of is now.', async () => {
    const deviceId = givenDevice(ahead());
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0)], now)).resolves.toBe(0);
    expect(updates()).toMatchObject([
      {
        UpdateExpression: 'SET reportedAt = :now',
        ConditionExpression: '#status = :online AND reportedAt < :now',
        ExpressionAttributeValues: { ':now': at(0) },
      },
    ]);
    expect(queue).not.toHaveReceivedAnyCommand();
  });

  test('makes its device online that was offline, which is watched before.', async () => {
    const deviceId = givenDevice(ahead({ status: 'offline' }));
    queue.rejectsOnce(new Error('no queue'));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0)], now)).rejects.toThrow('no queue');
    expect(updates()).toEqual([]);
    await acceptTelemetry(acme, [sampleAt(deviceId, 0)], now);
    expect(updates()).toMatchObject([
      { ConditionExpression: 'attribute_exists(deviceId) AND #status <> :online', Key: { id: deviceId } },
    ]);
  });

  test('is noted once a second at most, and is no fault when the device is gone.', async () => {
    const deviceId = givenDevice(ahead({ reportedAt: at(-999) }));
    await acceptTelemetry(acme, [sampleAt(deviceId, 0)], now);
    expect(updates()).toEqual([]);
    const other = givenDevice(ahead());
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(acceptTelemetry(acme, [sampleAt(other, 0)], now)).resolves.toBe(0);
  });

  test('shows nothing when it was said long ago: it is only played again.', async () => {
    const deviceId = givenDevice(ahead({ status: 'offline' }));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0)], now, new Date(at(-30_000)))).resolves.toBe(0);
    expect(updates()).toEqual([]);
    await acceptTelemetry(acme, [sampleAt(deviceId, 0)], now, new Date(at(-29_999)));
    expect(updates()).toHaveLength(1);
  });
});

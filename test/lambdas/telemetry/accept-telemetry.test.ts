import { fleetKey } from '../../../data/fleet/fleet-key';
import { BatchGetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { acceptTelemetry } from '../../../lambdas/telemetry/accept-telemetry';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import {
  at,
  delivered,
  givenDevice,
  givenDevices,
  now,
  reported,
  sampleAt,
  written,
} from '../fixtures/reported-devices';
import { newDeviceId } from '../fixtures/telemetry';

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
    expect(store).toHaveReceivedCommandWith(UpdateCommand, {
      ExpressionAttributeValues: expect.objectContaining({ ':stateAt': at(300) }) as Record<string, unknown>,
    });
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

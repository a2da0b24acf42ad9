import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { itemSize } from 'cloud-assembly-runner/dynamodb/item-size';
import { acceptTelemetry } from '../../../lambdas/telemetry/accept-telemetry';
import { acme, id } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import { accept, calls, givenAtRest, second, time, updates } from '../fixtures/device-at-rest';
import { at, delivered, queuedStates, sampleAt } from '../fixtures/reported-devices';
import { givenFollowedGroup, givenFollowers, later, newDeviceId, queue } from '../fixtures/telemetry';

type Device = Awaited<ReturnType<typeof givenAtRest>>;
/** Lets so much time pass that what was read of a group counts as outdated. */
const pass = (ms: number) => jest.setSystemTime(time(ms));

describe('A sample a second of a device at rest', () => {
  test('costs one write when nobody follows the device, and one read of its group for all of its devices', async () => {
    const { deviceId } = await givenAtRest();
    await accept(deviceId, 0);
    expect(calls()).toEqual(['BatchGet fleet', 'Get fleet', 'Update fleet']);
    await accept(deviceId, second(1));
    await accept(deviceId, second(2));
    expect(calls()).toEqual(['Update fleet', 'Update fleet']);
    pass(500);
    await accept(deviceId, second(3));
    expect(calls()).toEqual(['Get fleet', 'Update fleet']);
    expect(queue).not.toHaveReceivedAnyCommand();
  });

  test('costs a search for followers, and no read of the device, when somebody may follow it', async () => {
    const { deviceId, changeItem } = await givenAtRest();
    await accept(deviceId, 0);
    await changeItem({ socketsUntil: later });
    givenFollowers(deviceId, `follower of ${deviceId}`);
    calls();
    await accept(deviceId, second(1));
    expect(calls()).toEqual(['Update fleet', 'Query connections']);
    expect(delivered(deviceId)).toMatchObject([{ timestamp: at(1000) }]);
  });

  test('is sent to the followers of its group, half a second at most after the first is noted', async () => {
    const { deviceId, deviceGroupId } = await givenAtRest();
    await accept(deviceId, 0);
    givenFollowedGroup(deviceGroupId);
    givenFollowers(deviceGroupId, `follower of ${deviceId}`);
    await accept(deviceId, second(1));
    expect(delivered(deviceId)).toEqual([]);
    pass(500);
    await accept(deviceId, second(2));
    expect(delivered(deviceId)).toMatchObject([{ timestamp: at(2000) }]);
    expect(store).toHaveReceivedCommandTimes(QueryCommand, 1);
  });

  test.each([-200, 200])('that comes unevenly, by up to 200 ms, waits in no queue', async (jitter) => {
    const { deviceId } = await givenAtRest();
    for (let n = 0; n < 20; n += 1) await accept(deviceId, second(n, n % 2 ? jitter : -jitter));
    expect(updates()).toHaveLength(20);
    expect(queuedStates()).toEqual([]);
  });

  test('has an item of less than 1 kB, with every field', async () => {
    const { deviceId, item } = await givenAtRest({
      organisation: undefined,
      name: 'Kestrel of the north quarry',
      version: 1e7,
      eventTime: at(0),
      socketsUntil: later,
      topicUntil: later,
      followedAt: Date.now(),
    });
    await accept(deviceId, 0);
    await accept(deviceId, second(1), {
      navigation: {
        position: { type: 'Point', coordinates: [8.541694, 47.376887, 408.3] },
        orientation: { heading: 271.4, pitch: -0.3, roll: 0.1 },
        velocity: { groundSpeed: 0, verticalSpeed: 0 },
      },
      battery: { percent: 87.5, voltage: 52.13, remainingFlightTime: 1620 },
      dockState: 'CLOSED',
      weather: { windSpeed: 3.4, windDirection: 245, temperature: 11.2, humidity: 64, rain: 0 },
      sensorPayload: { camera: { orientation: { heading: 271.4, pitch: -90, roll: 0 } } },
      simulated: true,
    });
    const stored = await item();
    expect(stored).toMatchObject({ quiet: 'yes', presentIn: acme, stateAt: at(1000) });
    expect(itemSize(marshall(stored))).toBeLessThan(1024);
  });
});

describe('The record of a write in the stream', () => {
  const flying = { timestamp: at(-1000), droneState: 'HOVER' };
  const inFlight = {
    lastState: JSON.stringify(flying),
    stateAt: flying.timestamp,
    takeOff: { timestamp: at(-60_000), altitude: 440 },
  };
  /** Whether the record of each of so many writes is quiet. */
  const quietOf = async ({ deviceId, item }: Device, count: number, states: readonly object[] = []) => {
    const quiet: boolean[] = [];
    for (let n = 0; n < count; n += 1) {
      await accept(deviceId, second(n), states[n]);
      quiet.push((await item())['quiet'] === 'yes');
    }
    expect(updates()).toHaveLength(count);
    return quiet;
  };

  test('is quiet when nobody needs it', async () => {
    expect(await quietOf(await givenAtRest(), 3)).toEqual([false, true, true]);
  });

  test.each([
    ['a job', (): object => ({ state: { jobId: id('job') } })],
    ['a follower of the group', (group: string): object => ({ followed: givenFollowedGroup(group) })],
  ])('is not quiet for %s', async (_, given) => {
    const device = await givenAtRest();
    const { state = {} } = given(device.deviceGroupId) as { state?: object };
    expect(await quietOf(device, 2, [{}, state])).toEqual([false, false]);
  });

  test('is not quiet for a position in flight that is due', async () => {
    const hovering = Array<object>(7).fill({ droneState: 'HOVER' });
    expect(await quietOf(await givenAtRest(inFlight), 7, hovering)).toEqual([
      false,
      true,
      true,
      true,
      true,
      false,
      true,
    ]);
  });
});

test('a device that this instance has not heard of for a minute is read again', async () => {
  const { deviceId } = await givenAtRest();
  await accept(deviceId, 0);
  calls();
  await accept(deviceId, second(60));
  expect(calls()).toContain('BatchGet fleet');
});

test('an unknown device refuses a message before the state of a known one is written', async () => {
  const { deviceId } = await givenAtRest();
  await accept(deviceId, 0);
  const samples = [sampleAt(deviceId, second(1)), sampleAt(newDeviceId(), second(1))];
  await expect(acceptTelemetry(acme, samples, time(1000))).rejects.toMatchObject({ code: 'invalid_request' });
  expect(updates()).toHaveLength(1);
});

test('a write that fails fails the message; the sample is new when it is sent again', async () => {
  const { deviceId, failNext } = await givenAtRest({ socketsUntil: later });
  await accept(deviceId, 0);
  givenFollowers(deviceId, `follower of ${deviceId}`);
  failNext(new Error('no store'));
  await expect(accept(deviceId, second(1))).rejects.toThrow('no store');
  await expect(accept(deviceId, second(1))).resolves.toMatchObject({ accepted: 1 });
  expect(delivered(deviceId)).toHaveLength(1);
});

test('ten samples a second are written once a second', async () => {
  const { deviceId } = await givenAtRest();
  for (let tenth = 0; tenth < 200; tenth += 1) await accept(deviceId, tenth * 100);
  expect(updates().length).toBeGreaterThanOrEqual(20);
  expect(updates().length).toBeLessThanOrEqual(21);
});

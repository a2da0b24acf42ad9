import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { itemSize } from 'cloud-assembly-runner/dynamodb/item-size';
import { noteFollowed } from '../../../data/channels/followed-channels';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { stateText, storedState } from '../../../data/fleet/state-text';
import { jobToItem } from '../../../data/jobs/jobs';
import type { KnownState } from '../../../domain/telemetry/known-state';
import { acceptTelemetry } from '../../../lambdas/telemetry/accept-telemetry';
import { acme, fullSample, id, sampleJob } from '../../domain/fixtures/samples';
import { until } from '../../channels/until';
import { store } from '../../data/fixtures/store';
import {
  accept,
  calls,
  engine,
  givenAtRest,
  second,
  time,
  updates,
  at,
  delivered,
  queuedStates,
  sampleAt,
} from '../fixtures/reported-devices';
import { givenFollowedGroup, givenFollowers, later, newDeviceId, queue, sentTo } from '../fixtures/telemetry';

type Device = Awaited<ReturnType<typeof givenAtRest>>;
/** Lets so much time pass that what was read of a group counts as outdated. */
const pass = (ms: number) => jest.setSystemTime(time(ms));

/** The calls for each of some samples that are received one a second. */
async function callsOfEach(deviceId: string, count: number, state: object = {}) {
  const each: string[][] = [];
  for (let n = 0; n < count; n += 1) {
    pass(second(n));
    await accept(deviceId, second(n), state);
    each.push(calls());
  }
  return each;
}
const hover = { droneState: 'HOVER' };
const navigation = { position: { type: 'Point', coordinates: [8.5, 47.4, 480] } };
const READ_OF_GROUP = 'Get fleet';
/** What an item has beside its state, each as long as it may be. */
const longItem = () => ({
  organisation: undefined,
  name: 'Kestrel of the north quarry',
  version: 1e7,
  eventTime: at(0),
  socketsUntil: later,
  topicUntil: later,
  followedAt: Date.now(),
});

describe('A sample a second of a device at rest', () => {
  test('costs one write in ten seconds, no read of the device after the first, and one of its group each half second', async () => {
    const { deviceId, item, stateAt } = await givenAtRest();
    const [first, ...others] = await callsOfEach(deviceId, 30);
    expect(first).toEqual(['BatchGet fleet', READ_OF_GROUP]);
    const writes = others.map((each) => each.filter((name) => name !== READ_OF_GROUP));
    expect(others.every((each) => each.filter((name) => name === READ_OF_GROUP).length === 1)).toBe(true);
    expect(writes.flatMap((each, n) => each.map((name) => [n + 1, name]))).toEqual([
      [9, 'Update fleet'],
      [19, 'Update fleet'],
      [29, 'Update fleet'],
    ]);
    expect(await stateAt()).toBe(at(29_000));
    expect(await item()).toMatchObject({ status: 'online', reportedAt: at(29_000) });
    expect(queue).not.toHaveReceivedAnyCommand();
  });

  test('costs nothing for half a second after the group was read', async () => {
    const { deviceId } = await givenAtRest();
    await accept(deviceId, 0);
    pass(499);
    calls();
    await accept(deviceId, 499);
    expect(calls()).toEqual([]);
    pass(500);
    await accept(deviceId, 500);
    expect(calls()).toEqual([READ_OF_GROUP]);
  });

  test.each([
    ['takes off', hover],
    ['moves more than five metres', { navigation: { position: { type: 'Point', coordinates: [8.50008, 47.4, 480] } } }],
    ['loses more than a percent of its charge', { battery: { percent: 78.9 } }],
    ['begins a job', { jobId: id('job') }],
  ])('that %s is written when a second has passed since the last write', async (_, change) => {
    const rest = { droneState: 'LANDED', navigation, battery: { percent: 80 } };
    const { deviceId, stateAt } = await givenAtRest({ lastState: JSON.stringify({ timestamp: at(-1000), ...rest }) });
    await accept(deviceId, 0, rest);
    expect(updates()).toEqual([]);
    await accept(deviceId, second(1), { ...rest, ...change });
    expect(await stateAt()).toBe(at(1000));
  });

  test('is delivered to the followers of the device, with no read of it, although it is not written', async () => {
    const { deviceId } = await givenAtRest({ socketsUntil: later });
    givenFollowers(deviceId, `follower of ${deviceId}`);
    await accept(deviceId, 0);
    calls();
    await accept(deviceId, second(1));
    expect(calls()).toEqual(['Query connections']);
    expect(delivered(deviceId)).toMatchObject([{ timestamp: at(0) }, { timestamp: at(1000) }]);
  });

  test('is sent to the first follower of the device, which is read again half a second at most after that is noted', async () => {
    const { deviceId, deviceGroupId } = await givenAtRest();
    const group = { kind: 'group', deviceGroupId, name: 'North', description: '' };
    await engine.put('fleet', { ...fleetKey(acme, deviceGroupId), ...group });
    pass(second(10));
    await accept(deviceId, second(10));
    pass(second(10, 200));
    await noteFollowed({ kind: 'device', id: deviceId }, 'sockets', later);
    givenFollowers(deviceId, `follower of ${deviceId}`);
    calls();
    pass(second(10, 500));
    await accept(deviceId, second(10, 500));
    expect(delivered(deviceId)).toMatchObject([{ timestamp: at(10_500) }]);
    expect(calls()).toEqual([READ_OF_GROUP, 'BatchGet fleet', 'Query connections']);
    // The clocks of two functions differ, so it is read for a while longer.
    pass(second(13));
    await accept(deviceId, second(13));
    expect(calls()).toContain('BatchGet fleet');
    pass(second(14));
    await accept(deviceId, second(14));
    expect(calls()).toEqual([READ_OF_GROUP, 'Query connections']);
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

  test.each<['device' | 'group', 'device' | 'group']>([
    ['device', 'group'],
    ['group', 'device'],
    ['device', 'device'],
    ['group', 'group'],
  ])(
    'whose record takes a second is sent, before it counts as accepted, to who begins to follow its %s meanwhile, and once to who followed its %s',
    async (begun, before) => {
      const { deviceId, deviceGroupId, changeItem } = await givenAtRest({ takeOff: { timestamp: at(-60_000) } });
      const idOf = { device: deviceId, group: deviceGroupId };
      await engine.put('fleet', { ...fleetKey(acme, deviceGroupId), id: deviceGroupId, kind: 'group', deviceGroupId });
      pass(second(10));
      if (before === 'device') await changeItem({ socketsUntil: later });
      else await noteFollowed({ kind: 'group', id: deviceGroupId }, 'sockets', later);
      givenFollowers(idOf[before], 'old');
      const put = engine.answers('PutCommand');
      store.on(PutCommand, { TableName: 'flights' }).callsFake(async (input: object) => {
        await until('the first delivery', () => Promise.resolve(sentTo('old')[0]));
        pass(second(11));
        await noteFollowed({ kind: begun, id: idOf[begun] }, 'sockets', later);
        givenFollowers(idOf[begun], 'new', ...(begun === before ? ['old'] : []));
        return put(input);
      });
      await expect(accept(deviceId, second(10), { ...hover, navigation })).resolves.toMatchObject({ accepted: 1 });
      expect(sentTo('new')).toMatchObject([{ timestamp: at(10_000) }]);
      expect(sentTo('old')).toMatchObject([{ timestamp: at(10_000) }]);
    },
  );

  test.each([-200, 200])('that comes unevenly, by up to 200 ms, waits in no queue', async (jitter) => {
    const { deviceId } = await givenAtRest();
    for (let n = 0; n < 40; n += 1) await accept(deviceId, second(n, n % 2 ? jitter : -jitter));
    expect(updates()).toHaveLength(4);
    expect(queuedStates()).toEqual([]);
  });

  test('has an item of less than 1 kB, with every field', async () => {
    const { deviceId, item } = await givenAtRest({ ...longItem(), status: 'offline' });
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
    expect(stored).toMatchObject({ quiet: 'yes', presentIn: acme });
    expect(storedState(stored)).toMatchObject({ timestamp: at(1000) });
    expect(itemSize(marshall(stored))).toBeLessThan(1024);
  });
});

test('a device in flight whose parts come apart, at eight times, has an item of less than 1 kB', async () => {
  const { deviceId, item, known } = await givenAtRest({
    ...longItem(),
    takeOff: { timestamp: at(0), altitude: 440.1 },
  });
  const { deviceId: _id, timestamp: _timestamp, navigation: whole, ...others } = fullSample;
  const parts: object[] = [
    ...Object.entries(others).map(([name, value]) => ({ [name]: value })),
    ...Object.entries(whole).map(([name, value]) => ({ navigation: { [name]: value } })),
  ];
  const acceptPart = (ms: number, part: object) => acceptTelemetry(acme, [sampleAt(deviceId, ms, part)], time(ms));
  for (const [index, each] of parts.entries()) await acceptPart(100 * index, each);
  pass(second(3));
  await acceptPart(second(3), { battery: { percent: 80.25 } });
  expect(Object.keys((await known()).measuredBefore ?? {}).length).toBeGreaterThan(9);
  expect(itemSize(marshall(await item()))).toBeLessThan(1024);
});

describe('A sample a second of a device in flight', () => {
  const inFlight = {
    lastState: JSON.stringify({ timestamp: at(-1000), droneState: 'HOVER', navigation }),
    takeOff: { timestamp: at(-60_000), altitude: 440 },
  };
  /** The calls for each sample but the first, without the reads of the group. */
  const callsInFlight = async (state: object) => {
    const { deviceId } = await givenAtRest(inFlight);
    const [first, ...others] = await callsOfEach(deviceId, 11, { ...hover, ...state });
    expect(first).toContain('BatchGet fleet');
    return others.map((each) => each.filter((name) => name !== READ_OF_GROUP).toSorted());
  };

  test('costs one write and no read', async () => {
    expect(await callsInFlight({})).toEqual(Array(10).fill(['Update fleet']));
  });

  test('with a position is recorded for the device once in five seconds', async () => {
    const [write, both] = [['Update fleet'], ['Put flights', 'Update fleet']];
    expect(await callsInFlight({ navigation })).toEqual(
      Array.from({ length: 10 }, (_, n) => (n % 5 === 4 ? both : write)),
    );
  });

  test('with a job costs a read of that, and a write of its position', async () => {
    await engine.put('jobs', {
      ...jobToItem(acme, sampleJob({ status: 'IN_PROGRESS' })),
      startedAt: at(-10_000),
    });
    const each = ['BatchGet jobs', 'Put flights', 'Update fleet'];
    const fifth = ['BatchGet jobs', 'Put flights', 'Put flights', 'Update fleet'];
    expect(await callsInFlight({ navigation, jobId: id('job') })).toEqual(
      Array.from({ length: 10 }, (_, n) => (n % 5 === 4 ? fifth : each)),
    );
  });

  test('with a job that does not exist, or is called by a name of its own, is recorded for the device only', async () => {
    const [first = []] = await callsInFlight({ navigation, jobId: id('job') });
    expect(first).toEqual(['BatchGet jobs', 'Update fleet']);
    const [other = []] = await callsInFlight({ navigation, jobId: 'survey' });
    expect(other).toEqual(['Update fleet']);
  });

  test.each([-200, 200])('that comes unevenly, by up to 200 ms, waits in no queue', async (jitter) => {
    const { deviceId } = await givenAtRest(inFlight);
    for (let n = 0; n < 20; n += 1) await accept(deviceId, second(n, n % 2 ? jitter : -jitter), hover);
    expect(updates()).toHaveLength(20);
    expect(queuedStates()).toEqual([]);
  });
});

describe('The record of a write in the stream', () => {
  const job = jobToItem(acme, sampleJob({ status: 'IN_PROGRESS' }));
  const flown = { ...hover, navigation, jobId: id('job') };
  /** Whether the record of each of three writes is quiet. */
  const quietOf = async ({ deviceId, item }: Device, state: object = hover) => {
    const quiet: boolean[] = [];
    for (let n = 0; n < 3; n += 1) {
      await accept(deviceId, second(n), state);
      quiet.push((await item())['quiet'] === 'yes');
    }
    expect(updates()).toHaveLength(3);
    return quiet;
  };

  test('is quiet when nobody needs it, from a transition on', async () => {
    expect(await quietOf(await givenAtRest({ quiet: undefined }))).toEqual([true, true, true]);
  });

  test('is not quiet when the device was not online', async () => {
    expect(await quietOf(await givenAtRest({ status: 'offline' }))).toEqual([false, true, true]);
  });

  test.each(['socketsUntil', 'topicUntil'])('is not quiet for a follower of the group, by %s', async (until) => {
    const device = await givenAtRest();
    store
      .on(GetCommand, { TableName: 'fleet', Key: fleetKey(acme, device.deviceGroupId) })
      .resolves({ Item: { [until]: later } });
    expect(await quietOf(device)).toEqual([false, false, false]);
  });

  test.each(['socketsUntil', 'topicUntil'])('is not quiet for a follower of the job, by %s', async (until) => {
    await engine.put('jobs', { ...job, [until]: later });
    expect(await quietOf(await givenAtRest(), flown)).toEqual([false, false, false]);
  });

  test('is not quiet half a second after somebody began to follow the job, which the samples need not name', async () => {
    // One that no other test has read.
    const jobId = id('job', acme, 'f'.repeat(26));
    await engine.put('jobs', { ...job, jobId });
    const { deviceId, item } = await givenAtRest();
    await accept(deviceId, second(0), { ...flown, jobId });
    await accept(deviceId, second(1), hover);
    await engine.put('jobs', { ...job, jobId, socketsUntil: later });
    pass(second(1, 500));
    await accept(deviceId, second(1, 500), { droneState: 'ORBIT' });
    expect((await item())['quiet']).toBeUndefined();
  });

  test('is quiet for a job that nobody follows, whose positions are recorded all the same', async () => {
    await engine.put('jobs', { ...job, socketsUntil: Math.floor(time(0).getTime() / 1000) });
    expect(await quietOf(await givenAtRest(), flown)).toEqual([true, true, true]);
    const record = await engine.all('flights');
    expect(record.filter(({ flight }) => flight === id('job'))).toHaveLength(3);
  });

  test('is quiet for a follower of the device alone, who is sent samples without the stream', async () => {
    expect(await quietOf(await givenAtRest({ socketsUntil: later }))).toEqual([true, true, true]);
  });
});

test.each<[what: string, change: object, expected: string | undefined]>([
  ['is flown', { status: 'IN_PROGRESS' }, 'jobId'],
  ['has ended', { status: 'COMPLETED', endedAt: at(-1) }, undefined],
])('a part belongs to a job that another instance has saved if that %s', async (_, change, expected) => {
  const jobId = id('job', acme, expected ? 'g'.repeat(26) : 'h'.repeat(26));
  const { deviceId, item } = await givenAtRest({ lastState: { timestamp: at(-1000), ...hover } });
  await accept(deviceId, 0, hover);
  await engine.put('jobs', { ...jobToItem(acme, sampleJob({ jobId, status: 'IN_PROGRESS' })), jobId, ...change });
  const saved = await item();
  const state = stateText({ timestamp: at(500), ...hover, jobId, progress: { percent: 5 } });
  await engine.put('fleet', { ...saved, state, version: Number(saved['version']) + 1 });
  pass(second(1));
  await accept(deviceId, second(1), { ...hover, battery: { percent: 39 } });
  const after = storedState(await item()) as KnownState;
  expect([after.battery?.percent, after.jobId, after.progress?.percent]).toEqual([
    39,
    expected && jobId,
    expected && 5,
  ]);
});

test('a device that this instance has not heard of for a minute is read again', async () => {
  const { deviceId } = await givenAtRest();
  await accept(deviceId, 0);
  calls();
  await accept(deviceId, second(60));
  expect(calls()).toContain('BatchGet fleet');
});

test('an unknown device is refused alone, and the known one is written', async () => {
  const { deviceId } = await givenAtRest();
  await accept(deviceId, 0);
  const samples = [sampleAt(newDeviceId(), second(1)), sampleAt(deviceId, second(1), hover)];
  await expect(acceptTelemetry(acme, samples, time(1000))).resolves.toMatchObject({
    accepted: 1,
    refused: [{ index: 0, isUnknown: true }],
  });
  expect(updates()).toHaveLength(1);
});

test('a write that fails fails the message; the sample is new when it is sent again', async () => {
  const { deviceId, failNext } = await givenAtRest({ socketsUntil: later });
  await accept(deviceId, 0, hover);
  givenFollowers(deviceId, `follower of ${deviceId}`);
  failNext(new Error('no store'));
  await expect(accept(deviceId, second(1), hover)).rejects.toThrow('no store');
  await expect(accept(deviceId, second(1), hover)).resolves.toMatchObject({ accepted: 1 });
  expect(delivered(deviceId)).toHaveLength(1);
});

test('ten samples a second are written once a second', async () => {
  const { deviceId } = await givenAtRest();
  for (let tenth = 0; tenth < 200; tenth += 1) await accept(deviceId, tenth * 100, hover);
  expect(updates().length).toBeGreaterThanOrEqual(20);
  expect(updates().length).toBeLessThanOrEqual(21);
});

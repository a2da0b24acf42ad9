import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { jobToItem } from '../../../data/jobs/jobs';
import { flownPoints, type FlightTimes } from '../../../domain/telemetry/flight-record';
import type { Job } from '../../../domain/jobs/job';
import { acceptTelemetry } from '../../../lambdas/telemetry/accept-telemetry';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import {
  accept,
  engine,
  givenAtRest,
  second,
  time,
  updates,
  calls,
  at,
  delivered,
  sampleAt,
  queuedStates,
} from '../fixtures/reported-devices';
import { givenFollowers, later, queue } from '../fixtures/telemetry';
import { removeFromFleet } from '../../../data/fleet/fleet-registry';

const position = { type: 'Point', coordinates: [8.5, 47.4, 480] };
const flown = { droneState: 'WAYPOINT', navigation: { position }, jobId: id('job') };

/** Stores a job that is flown since a minute. */
const givenJob = (change: Partial<Job> = {}, times: FlightTimes = { startedAt: at(-60_000) }) =>
  engine.put('jobs', { ...jobToItem(acme, sampleJob({ status: 'IN_PROGRESS', ...change })), ...times });
/** When the positions of a record were reported, in ms. */
const recorded = async (flight: string) =>
  (await engine.all('flights'))
    .filter((item) => item['flight'] === flight)
    .map(({ ms }) => Number(ms) - Date.parse(at(0)));

describe('The position of a sample', () => {
  test('is recorded for the job that it names and for its flight, and counted once', async () => {
    await givenJob();
    const { deviceId } = await givenAtRest();
    await expect(accept(deviceId, 0, flown)).resolves.toEqual({ warnings: [], accepted: 1, recorded: 1, refused: [] });
    expect(await recorded(id('job'))).toEqual([0]);
    expect(await recorded(deviceId)).toEqual([0]);
  });

  test('is recorded of every second of a list, though one state is saved', async () => {
    await givenJob();
    const { deviceId } = await givenAtRest();
    const samples = [2, 0, 3, 1].map((n) => sampleAt(deviceId, second(n), flown));
    await expect(acceptTelemetry(acme, samples, time(3000))).resolves.toMatchObject({ accepted: 4, recorded: 4 });
    expect(await recorded(id('job'))).toEqual([0, 1000, 2000, 3000]);
    expect(updates()).toHaveLength(1);
  });

  test('that comes late is recorded and counted, but neither delivered nor saved; repeated it is neither', async () => {
    await givenJob();
    const { deviceId, stateAt } = await givenAtRest({ socketsUntil: later });
    givenFollowers(deviceId, `follower of ${deviceId}`);
    await accept(deviceId, second(3), flown);
    await expect(accept(deviceId, second(1), flown)).resolves.toEqual({
      warnings: [],
      accepted: 1,
      recorded: 1,
      refused: [],
    });
    await expect(accept(deviceId, second(1), flown)).resolves.toEqual({
      warnings: [],
      accepted: 0,
      recorded: 0,
      refused: [],
    });
    expect(await recorded(id('job'))).toEqual([1000, 3000]);
    expect(delivered(deviceId)).toMatchObject([{ timestamp: at(3000) }]);
    expect(await stateAt()).toBe(at(3000));
  });

  test('that could not be recorded fails the message; it is new when it is sent again', async () => {
    await givenJob();
    const { deviceId } = await givenAtRest();
    await accept(deviceId, 0, flown);
    const faults = [new Error('no store')];
    const put = engine.answers('PutCommand');
    store.on(PutCommand, { TableName: 'flights' }).callsFake((input: object) => {
      const fault = faults.pop();
      return fault ? Promise.reject(fault) : put(input);
    });
    await expect(accept(deviceId, second(1), flown)).rejects.toThrow('no store');
    await expect(accept(deviceId, second(1), flown)).resolves.toEqual({
      warnings: [],
      accepted: 1,
      recorded: 1,
      refused: [],
    });
    expect(await recorded(id('job'))).toEqual([0, 1000]);
  });

  test('is recorded of the flight that another instance has noted', async () => {
    await givenJob();
    const { deviceId, changeItem } = await givenAtRest();
    await accept(deviceId, 0, flown);
    await changeItem({ takeOff: { timestamp: at(-30_000) } });
    await expect(accept(deviceId, second(1), flown)).resolves.toMatchObject({ recorded: 1 });
    await expect(accept(deviceId, -20_000, flown)).resolves.toMatchObject({ recorded: 1 });
    // The flight began earlier than this instance knew.
    expect(await recorded(deviceId)).toEqual([-20_000, 0]);
  });

  test('is recorded although the followers cannot be read, which fails the message', async () => {
    await givenJob();
    const { deviceId } = await givenAtRest({ socketsUntil: later });
    store.on(QueryCommand).rejects(new Error('no connections'));
    await expect(accept(deviceId, 0, flown)).rejects.toThrow('no connections');
    expect(await recorded(id('job'))).toEqual([0]);
  });

  test.each([
    [89, 1],
    [91, 0],
    [365 * 50, 0],
  ])('of %d days ago is recorded if it would be kept: %d', async (days, count) => {
    await givenJob({ status: 'PENDING' }, {});
    const { deviceId } = await givenAtRest();
    await acceptTelemetry(acme, [sampleAt(deviceId, -days * 86_400_000, flown)], time(0));
    expect(await recorded(id('job'))).toHaveLength(count);
  });

  test.each([-60, -45, -4, 0, 4, 20, 45, 60])(
    'is in the track of its flight, however many seconds the clock of its device is behind: %d',
    async (behind) => {
      const flight = { startedAt: at(-5000), endedAt: at(0) };
      await givenJob({}, { startedAt: flight.startedAt });
      const { deviceId } = await givenAtRest();
      const times = [-5, -4, -3, -2, -1, 0].map((n) => second(n));
      for (const ms of times) await acceptTelemetry(acme, [sampleAt(deviceId, ms - second(behind), flown)], time(ms));
      const points = (await recorded(id('job'))).map((ms) => ({
        deviceId,
        timestamp: at(ms),
        coordinates: [0, 0, 0] as [number, number, number],
      }));
      expect(flownPoints(flight, points).map(({ timestamp }) => timestamp)).toEqual(
        times.map((ms) => at(ms - second(behind))),
      );
    },
  );

  test('from a receiver without a fix is not recorded', async () => {
    await givenJob();
    const { deviceId } = await givenAtRest();
    const lost = { ...flown, navigation: { position: { ...position, coordinates: [0, 0, 480] } } };
    await expect(accept(deviceId, 0, lost)).resolves.toEqual({ warnings: [], accepted: 1, recorded: 0, refused: [] });
    expect(await engine.all('flights')).toEqual([]);
  });

  test.each<[string, Partial<Job>, FlightTimes, object, string]>([
    ["another organisation's job", {}, {}, { jobId: id('job', rival) }, 'is not a job of yours'],
    ['the job of another device', { deviceId: id('device') }, {}, {}, 'is the job of another device'],
    [
      'a job that ended more than a day ago',
      { status: 'COMPLETED' },
      { startedAt: at(-90_000_000), endedAt: at(-86_400_001) },
      {},
      'is a job that ended more than 24 hours ago',
    ],
  ])('that names %s is refused with its sample', async (_, job, times, change, message) => {
    await givenJob(job, times);
    const { deviceId } = await givenAtRest();
    await expect(accept(deviceId, 0, { ...flown, ...change })).resolves.toEqual({
      warnings: [],
      accepted: 0,
      recorded: 0,
      refused: [{ index: 0, path: 'jobId', message, isUnknown: false }],
    });
    expect(await engine.all('flights')).toEqual([]);
    expect(updates()).toEqual([]);
  });
});

const hover = { droneState: 'HOVER' };

describe('A sample of a device that is another one than this instance knows', () => {
  test.each([
    ['a later write', { savedAt: at(900) }],
    ['another group', { deviceGroupId: id('group') }],
    ['another flight', { takeOff: { timestamp: at(500) } }],
  ])('is accepted without a read, with the device as it is after %s', async (_, change) => {
    const { deviceId, changeItem, item } = await givenAtRest();
    await accept(deviceId, 0, hover);
    const lastState = JSON.stringify({ timestamp: at(900), ...hover });
    await changeItem({ lastState, socketsUntil: later, ...change });
    const { deviceGroupId } = await item();
    givenFollowers(deviceId, `follower of ${deviceId}`);
    calls();
    await expect(accept(deviceId, second(1), hover)).resolves.toMatchObject({ accepted: 1 });
    expect(calls().filter((name) => name === 'BatchGet fleet')).toEqual([]);
    expect(delivered(deviceId)).toMatchObject([{ timestamp: at(1000), deviceGroupId }]);
  });

  test.each([
    ['in flight', hover, 1],
    ['at rest', { droneState: 'LANDED' }, 10],
  ])(
    '%s, since another instance saved it, costs a write once, and then a read before each write',
    async (_, state, every) => {
      const { deviceId, changeItem, stateAt } = await givenAtRest();
      const savedAt = (ms: number) =>
        changeItem({ savedAt: at(ms), lastState: JSON.stringify({ timestamp: at(ms), ...state }) });
      const callsOfFleet = async (ms: number) => {
        calls();
        await accept(deviceId, ms, state);
        return calls().filter((name) => /BatchGet|Update/.test(name));
      };
      await accept(deviceId, 0, state);
      await savedAt(second(every, -100));
      expect(await callsOfFleet(second(every))).toEqual(['Update fleet']);
      await savedAt(second(2 * every, -100));
      expect(await callsOfFleet(second(2 * every))).toEqual(['BatchGet fleet']);
      expect(await stateAt()).toBe(at(second(2 * every, -100)));
      for (let n = 3; n <= 12; n++)
        expect(await callsOfFleet(second(n * every))).toEqual(['BatchGet fleet', 'Update fleet']);
      expect(await callsOfFleet(second(13 * every))).toEqual(['Update fleet']);
      expect(await stateAt()).toBe(at(second(13 * every)));
    },
  );

  test('that went offline is saved after an offline check is scheduled', async () => {
    const { deviceId, changeItem, item, stateAt } = await givenAtRest();
    await accept(deviceId, 0, hover);
    await changeItem({ status: 'offline' });
    await accept(deviceId, second(1), hover);
    expect(queue.calls()).toHaveLength(1);
    expect(await stateAt()).toBe(at(1000));
    expect(await item()).toMatchObject({ status: 'online', presentIn: acme });
    expect(await item()).not.toHaveProperty('quiet');
  });

  test('that was removed is refused, and not asked for by a write from then on', async () => {
    const refused = {
      warnings: [],
      accepted: 0,
      recorded: 0,
      refused: [{ index: 0, path: 'deviceId', message: 'is not a device of yours', isUnknown: true }],
    };
    const { deviceId } = await givenAtRest();
    await accept(deviceId, 0, hover);
    await removeFromFleet(acme, 'device', deviceId, time(500));
    await expect(accept(deviceId, second(1), hover)).resolves.toEqual(refused);
    calls();
    await expect(accept(deviceId, second(2), hover)).resolves.toEqual(refused);
    expect(calls()).toEqual(['BatchGet fleet']);
  });

  test('that it saved itself, by an attempt whose response was lost, is delivered', async () => {
    const { deviceId, loseNext } = await givenAtRest({ socketsUntil: later });
    await accept(deviceId, 0, hover);
    loseNext();
    givenFollowers(deviceId, `follower of ${deviceId}`);
    await expect(accept(deviceId, second(1), hover)).resolves.toMatchObject({ accepted: 1 });
    expect(delivered(deviceId)).toMatchObject([{ timestamp: at(1000) }]);
    expect(queuedStates()).toEqual([]);
  });
});

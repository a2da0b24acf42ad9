import * as socketsModule from '@aws-sdk/client-apigatewaymanagementapi';
import * as dynamodbClientModule from '@aws-sdk/client-dynamodb';
import * as sqsModule from '@aws-sdk/client-sqs';
import * as commandsModule from '@aws-sdk/lib-dynamodb';
import * as zodModule from 'zod/mini';
import { PLATFORM } from '../../../domain/values/service';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { storedState } from '../../../data/fleet/state-text';
import { jobToItem } from '../../../data/jobs/jobs';
import * as dynamodbModule from '../../../data/store/dynamodb';
import { knownState, mergeState, type KnownState } from '../../../domain/telemetry/known-state';
import { deviceState, type Sample } from '../../../domain/telemetry/sample';
import { handler as checkDevices } from '../../../lambdas/fleet/check-devices.lambda';
import { storeOnEngine } from '../../data/fixtures/engine';
import { acme, fullSample, id, sampleJob } from '../../domain/fixtures/samples';
import { partsOf } from '../../domain/fixtures/parts-of-a-state';
import { deviceItem, givenFollowers, later, newDeviceId, queue, sentTo } from '../fixtures/telemetry';
import { otherLines } from '../fixtures/log';
import { fc, propertyRuns } from '../../property-runs';

// A pause is no more than that the date is later then: the engine needs the timers.
jest.mock('node:timers/promises', () => ({
  ...jest.requireActual<object>('node:timers/promises'),
  setTimeout: (ms: number) => {
    jest.setSystemTime(Date.now() + ms);
    return Promise.resolve();
  },
}));

const { SendMessageCommand } = sqsModule;
const engine = storeOnEngine('fleet', 'jobs', 'flights');

type AcceptTelemetry = typeof import('../../../lambdas/telemetry/accept-telemetry');
type ConsumePlatformEvent = typeof import('../../../lambdas/platform/consume-platform-events.lambda');
/** Accepts samples of a message, or of an event. */
type Entrance = (samples: readonly Sample[]) => Promise<void>;

/** The entrances of an instance, which shares the store with others, but not what it remembers. */
async function newInstance(number: number): Promise<Entrance[]> {
  const loaded: [AcceptTelemetry, ConsumePlatformEvent][] = [];
  await jest.isolateModulesAsync(async () => {
    // The clients that the tests mock, their commands and their errors; and what takes long to load and remembers nothing.
    jest.doMock('../../../data/store/dynamodb', () => dynamodbModule);
    jest.doMock('@aws-sdk/lib-dynamodb', () => commandsModule);
    jest.doMock('@aws-sdk/client-dynamodb', () => dynamodbClientModule);
    jest.doMock('@aws-sdk/client-sqs', () => sqsModule);
    jest.doMock('@aws-sdk/client-apigatewaymanagementapi', () => socketsModule);
    jest.doMock('zod/mini', () => zodModule);
    loaded.push([
      await import('../../../lambdas/telemetry/accept-telemetry'),
      await import('../../../lambdas/platform/consume-platform-events.lambda'),
    ]);
  });
  const [modules] = loaded;
  if (!modules) throw new Error('the modules were not loaded');
  const [{ acceptTelemetry }, { handler: consumePlatformEvent }] = modules;
  let events = 0;
  const onSocket: Entrance = async (samples) => {
    const { refused } = await acceptTelemetry(acme, samples, new Date());
    expect(refused).toEqual([]);
  };
  const onBus: Entrance = async (telemetry) => {
    const event = {
      id: `event-${number}-${++events}`,
      source: PLATFORM,
      'detail-type': 'device.telemetry.reported',
      time: new Date().toISOString(),
      detail: { telemetry },
    };
    await consumePlatformEvent(event);
  };
  return [onSocket, onBus];
}

const INSTANCES = 3;
const instances: Entrance[][] = [];
beforeAll(async () => {
  for (let number = 0; number < INSTANCES; number += 1) instances.push(await newInstance(number));
});

const takeOff = new Date('2026-11-27T10:30:00.000Z');
const at = (ms: number) => new Date(takeOff.getTime() + ms).toISOString();
/** Begins between the second and the third sample. */
const STARTED_AFTER_MS = 400;
/** How much the platform, which says so, is ahead of the device. */
const PLATFORM_AHEAD_MS = 60_000;
/** When the samples are taken, in ms: two seconds of five, ten of one, and again two of five. */
const times = [
  ...Array.from({ length: 10 }, (_, n) => n * 200 + 100),
  ...Array.from({ length: 10 }, (_, n) => n * 1000 + 2100),
  ...Array.from({ length: 10 }, (_, n) => n * 200 + 12_100),
];
const sampleOf = (deviceId: string, jobId: string, ms: number): Sample => ({
  deviceId,
  timestamp: at(ms),
  droneState: 'WAYPOINT',
  navigation: { position: { type: 'Point', coordinates: [8.5 + ms / 1e6, 47.4, 480] } },
  jobId,
});

/** The earliest of the times in each interval of so many seconds. */
const earliestOf = (all: readonly number[], seconds: number) =>
  [...new Map(all.toReversed().map((ms) => [Math.floor(ms / 1000 / seconds), ms])).values()].toReversed();
const recordOf = (all: readonly number[], seconds: number) =>
  earliestOf(all, seconds).map((ms) => ({ timestamp: at(ms), longitude: Number((8.5 + ms / 1e6).toFixed(6)) }));
const recorded = async (flight: string) =>
  (await engine.all('flights'))
    .filter((item) => item['flight'] === flight)
    .map(({ ms, longitude }) => ({ timestamp: new Date(Number(ms)).toISOString(), longitude }))
    .toSorted((one, other) => one.timestamp.localeCompare(other.timestamp));

/** Samples that arrive in one message, and how. */
interface Arrival {
  readonly size: number;
  readonly instance: number;
  readonly entrance: number;
  /** How long nothing arrives before, in ms; 0: it arrives together with the one before, if that is at another instance. */
  readonly after: number;
}
const arrivals = fc.array(
  fc.record<Arrival>({
    size: fc.integer({ min: 1, max: 8 }),
    instance: fc.nat(INSTANCES - 1),
    entrance: fc.nat(1),
    after: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1500 })),
  }),
  { minLength: 1, maxLength: 20 },
);
/** All samples of the flight in any order, some of them again, by their places. */
const order = fc.array(fc.nat(times.length - 1), { maxLength: 15 }).chain((again) => {
  const all = [...times.keys(), ...again];
  return fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length });
});

/** The messages with samples in this order; the list of arrivals is repeated until all have arrived. */
function messagesOf(samples: readonly Sample[], how: readonly Arrival[]) {
  const messages: (Arrival & { readonly samples: readonly Sample[] })[] = [];
  for (let from = 0; from < samples.length; from += messages.at(-1)?.size ?? 1) {
    const arrival = how[messages.length % how.length] as Arrival;
    messages.push({ ...arrival, samples: samples.slice(from, from + arrival.size) });
  }
  return messages;
}

/** Delivers the messages; an instance has one at a time. */
async function deliver(messages: ReturnType<typeof messagesOf>) {
  const underWay = new Map<number, Promise<void>>();
  for (const { samples, instance, entrance, after } of messages) {
    if (after > 0 || underWay.has(instance)) {
      await Promise.all(underWay.values());
      underWay.clear();
      jest.setSystemTime(Date.now() + after);
    }
    underWay.set(instance, instances[instance]?.[entrance]?.(samples) ?? Promise.resolve());
  }
  await Promise.all(underWay.values());
}

/** Saves what waits in the queue. */
async function saveTrailing() {
  const bodies = queue.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => input.MessageBody ?? '');
  queue.resetHistory();
  const Records = bodies.map((body, index) => ({ messageId: `message-${index}`, body }));
  for (const record of Records)
    await expect(checkDevices({ Records: [record] } as never)).resolves.toEqual({ batchItemFailures: [] });
}

let flights = 0;
/** A device in flight that has not reported since its take-off, and the job that it flies. */
async function givenFlight(change: object = {}) {
  const deviceId = newDeviceId();
  const jobId = id('job', acme, `f${String(++flights).padStart(25, '0')}`);
  const lastState = { timestamp: at(0), droneState: 'WAYPOINT' };
  await engine.put(
    'fleet',
    deviceItem(deviceId, {
      ...fleetKey(acme, deviceId),
      status: 'online',
      version: 1,
      takeOff: { timestamp: at(0) },
      reportedAt: at(0),
      savedAt: at(0),
      lastState: JSON.stringify(lastState),
      ...change,
    }),
  );
  const job = jobToItem(acme, sampleJob({ jobId, deviceId, status: 'IN_PROGRESS' }));
  await engine.put('jobs', { ...job, startedAt: at(STARTED_AFTER_MS + PLATFORM_AHEAD_MS) });
  const item = async () => (await engine.get('fleet', fleetKey(acme, deviceId))) ?? {};
  return { deviceId, jobId, item };
}

beforeEach(() => {
  const doNotFake = ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout', 'clearTimeout'] as const;
  jest.useFakeTimers({ doNotFake: [...doNotFake] });
});
afterEach(() => {
  jest.useRealTimers();
});

test('however the samples of a flight are cut, shuffled, repeated and spread over instances, its records and its last state are the same', async () => {
  await fc.assert(
    fc.asyncProperty(order, arrivals, async (places, how) => {
      jest.setSystemTime(Date.parse(at(20_000)));
      queue.resetHistory();
      const { deviceId, jobId, item } = await givenFlight();
      const samples = places.map((place) => sampleOf(deviceId, jobId, times[place] ?? 0));
      await deliver(messagesOf(samples, how));
      await saveTrailing();
      const inJob = times.filter((ms) => ms >= STARTED_AFTER_MS);
      expect(await recorded(jobId)).toEqual(recordOf(inJob, 1));
      expect(await recorded(deviceId)).toEqual(recordOf(times, 5));
      const { deviceId: _, ...newest } = sampleOf(deviceId, jobId, times.at(-1) ?? 0);
      expect(storedState(await item())).toEqual(newest);
      expect(otherLines().filter(({ reason }) => reason !== 'late')).toEqual([]);
    }),
    { numRuns: propertyRuns(15) },
  );
});

/** The parts of a state: each with its time, its place in the order of arrival, and whether it comes a second time. */
const cut = fc.record({
  isOneMoment: fc.boolean(),
  ms: fc.array(fc.integer({ min: 500, max: 1400 }), { minLength: 22, maxLength: 22 }),
  order: fc.shuffledSubarray([...Array(22).keys()], { minLength: 22 }),
  again: fc.shuffledSubarray([...Array(22).keys()], { maxLength: 5 }),
  isOneInstance: fc.boolean(),
});
const merged = (states: readonly KnownState[], before?: KnownState) =>
  states.reduce<KnownState | undefined>((known, next) => mergeState(known, next).state, before);
/** The state in a message to a follower. */
const stateIn = (message: object) => knownState.parse(message);

test('however a state is cut into parts, shuffled, repeated, and spread over messages and instances: it is the same, also for a follower a second later, and so is the track', async () => {
  await fc.assert(
    fc.asyncProperty(cut, arrivals, async ({ isOneMoment, ms, order: places, again, isOneInstance }, how) => {
      jest.setSystemTime(Date.parse(at(2000)));
      queue.resetHistory();
      const { deviceId, jobId, item } = await givenFlight({ socketsUntil: later });
      givenFollowers(deviceId, deviceId);
      const whole = deviceState.parse({ ...fullSample, jobId, timestamp: at(1000) });
      const pieces = partsOf(whole).map((part, index) => ({
        deviceId,
        timestamp: at(isOneMoment ? 1000 : (ms[index] ?? 0)),
        // Parts that were measured at several times name their job: it would be known since one of them only.
        ...(!isOneMoment && { jobId }),
        ...part,
      }));
      const samples = [...places, ...again].flatMap((place) => pieces[place] ?? []);
      const quick = how.map((each) => ({ ...each, after: each.after % 30, ...(isOneInstance && { instance: 0 }) }));
      await deliver(messagesOf(samples, quick));
      jest.setSystemTime(Date.now() + 1000);
      await saveTrailing();
      const before = { timestamp: at(0), droneState: 'WAYPOINT' };
      const expected = merged(
        pieces.map(({ deviceId: _, ...state }) => state),
        before,
      );
      expect(storedState(await item())).toEqual(expected);
      expect(merged(sentTo(deviceId).map(stateIn), before)).toEqual(expected);
      const place = pieces.find((piece) => 'navigation' in piece && JSON.stringify(piece).includes('coordinates'));
      const [point, ...others] = (await engine.all('flights')).filter(({ flight }) => flight === deviceId);
      expect([point?.['ms'], others]).toEqual([Date.parse(place?.timestamp ?? ''), []]);
      if (!isOneMoment || !isOneInstance) return;
      const extras = { droneState: 'RETURNING', batteryPercent: 81.3, heading: 270.5, groundSpeed: 12.5 };
      expect(point).toMatchObject(extras);
      expect((await engine.all('flights')).filter(({ flight }) => flight === jobId)).toMatchObject([extras]);
    }),
    { numRuns: propertyRuns(60) },
  );
});

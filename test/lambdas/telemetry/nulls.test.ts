import { BatchGetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { asyncApiDocument } from '../../../contract/documents/asyncapi/asyncapi-document';
import type { JsonSchema } from '../../../contract/documents/json-schema';
import { jobToItem } from '../../../data/jobs/jobs';
import { handler } from '../../../lambdas/telemetry/publish.lambda';
import { store } from '../../data/fixtures/store';
import { reportedSample } from '../../../domain/telemetry/reported-sample';
import { acme, fullSample, id, sampleJob } from '../../domain/fixtures/samples';
import { givenPartner } from '../fixtures/actions';
import { consume, deadLetters, platformEvent, rejected } from '../fixtures/platform-events';
import { fc } from '../../property-runs';
import { sendMessage } from '../fixtures/socket';
import { deviceItem, givenFollowers, later, newDeviceId, sentTo } from '../fixtures/telemetry';

const now = '2026-11-27T10:30:20.000Z';

type Path = readonly string[];

/** Every optional member of a schema and of what it contains. */
const optionalMembers = ({ properties = {}, required = [] }: JsonSchema): Path[] =>
  Object.entries(properties).flatMap(([name, member]) => [
    ...(required.includes(name) ? [] : [[name]]),
    ...optionalMembers(member as JsonSchema).map((path) => [name, ...path]),
  ]);

const { Sample = {} } = asyncApiDocument().components.schemas as Record<string, JsonSchema>;
const optional = optionalMembers(Sample).map((path) => path.join('.'));

/** The object in which the last name of a path is, and that name. */
function placeIn(sample: object, path: string): [owner: object, name: string] {
  const names = path.split('.');
  const last = names.pop() ?? '';
  return [names.reduce((owner, name) => (owner as Record<string, object>)[name] ?? {}, sample), last];
}
function setNull(sample: object, path: string): void {
  const [owner, name] = placeIn(sample, path);
  Object.assign(owner, { [name]: null });
}
function leaveOut(sample: object, path: string): void {
  const [owner, name] = placeIn(sample, path);
  Reflect.deleteProperty(owner, name);
}
/** A sample with everything that a function has changed. */
function changed(change: typeof setNull, path: string): object {
  const all = structuredClone<object>(fullSample);
  change(all, path);
  return all;
}

/** What becomes of a sample: what its device's follower gets, and what is wrong with it. */
interface Outcome {
  readonly delivered: readonly object[];
  readonly faults: unknown;
}

/** Ways to report samples. @returns the faults, if there are any */
const ways = {
  socket: async (...telemetry: unknown[]) => {
    const answer = await sendMessage(handler, givenPartner(), { action: 'publish', telemetry });
    return answer['details'] ?? answer['refused'];
  },
  bus: async (...telemetry: unknown[]) => {
    await consume(platformEvent('device.telemetry.reported', { telemetry }));
    const [[, event] = []] = rejected();
    return (event as { details?: unknown } | undefined)?.details;
  },
} as const;

const report =
  (way: keyof typeof ways) =>
  async (reported: unknown, change: object = {}): Promise<Outcome> => {
    const deviceId = newDeviceId();
    const device = deviceItem(deviceId, { socketsUntil: later });
    store.on(BatchGetCommand).callsFake(({ RequestItems }: { RequestItems: object }) => ({
      Responses:
        'jobs' in RequestItems
          ? { jobs: [jobToItem(acme, sampleJob({ status: 'IN_PROGRESS' }))] }
          : { fleet: [device] },
    }));
    store.on(UpdateCommand, { TableName: 'fleet' }).resolves({ Attributes: device });
    givenFollowers(deviceId, deviceId);
    const faults = await ways[way](
      typeof reported === 'object' && reported !== null ? { ...reported, deviceId, ...change } : reported,
    );
    return { delivered: sentTo(deviceId).map(({ deviceId: _its, ...state }) => state), faults };
  };

/** The fields of an object, as JSON has them: also one that assigning would lose. */
const parsed = (json: string) => JSON.parse(json) as object;
const least = { timestamp: fullSample.timestamp };
/** The socket reads text, in which the name is found first; on the bus the schema of the sample knows no such field. */
const LOST = expect.stringMatching(/^(is a name that programs lose: choose another|unknown field)$/) as string;
const WHOLE = 'must not be null: leave out a position that is not known as a whole';

beforeEach(() => {
  jest.useFakeTimers({
    now: new Date(now),
    doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout', 'clearTimeout'],
  });
  store.on(UpdateCommand, { TableName: 'requests' }).resolves({ Attributes: { calls: 1 } });
});
afterEach(() => {
  jest.useRealTimers();
});

test('the documents name optional members, also deep ones, and not what is required', () => {
  expect(optional).toEqual(expect.arrayContaining(['jobId', 'navigation', 'sensorPayload.camera.orientation.roll']));
  expect(optional).not.toEqual(expect.arrayContaining(['deviceId']));
  expect(optional.length).toBeGreaterThan(30);
});

describe.each(['socket', 'bus'] as const)('null in a sample on the %s', (way) => {
  const outcome = report(way);

  test.each(optional)('in %s is as if it were left out', async (path) => {
    const expected = await outcome(changed(leaveOut, path));
    expect(expected).toMatchObject({ delivered: [{ type: 'device.telemetry' }], faults: undefined });
    expect(await outcome(changed(setNull, path))).toEqual(expected);
    expect(deadLetters()).toEqual([]);
  });

  test('in all optional members leaves device and time', async () => {
    const nulls = Object.fromEntries(optional.flatMap((path) => (path.includes('.') ? [] : [[path, null]])));
    expect(await outcome({ ...least, ...nulls })).toEqual(await outcome(least));
  });

  test.each<[string, object, object]>([
    ['vendor data', { camera: null, x: null, y: { z: null }, list: [null] }, { x: null, y: { z: null }, list: [null] }],
    [
      'vendor data of a camera',
      { camera: { orientation: null, zoom: null, lens: { id: null } } },
      { camera: { zoom: null, lens: { id: null } } },
    ],
  ])('in %s stays', async (_, sensorPayload, delivered) => {
    expect(await outcome({ ...least, sensorPayload })).toMatchObject({ delivered: [{ sensorPayload: delivered }] });
    expect((await outcome({ ...least, sensorPayload })).delivered).toHaveProperty('0.sensorPayload', delivered);
  });

  test.each<[string, unknown, string, string]>([
    ['timestamp', { timestamp: null }, 'timestamp', 'must be a string'],
    ['coordinates', changed(setNull, 'navigation.position.coordinates'), 'navigation.position.coordinates', WHOLE],
    ['an altitude', changed(setNull, 'navigation.position.coordinates.2'), 'navigation.position.coordinates.2', WHOLE],
    ['a longitude', changed(setNull, 'navigation.position.coordinates.0'), 'navigation.position.coordinates.0', WHOLE],
    [
      'the type of a position',
      changed(setNull, 'navigation.position.type'),
      'navigation.position.type',
      'must be Point',
    ],
    ['the percent of a progress', changed(setNull, 'progress.percent'), 'progress.percent', 'must be a number'],
    ['an unknown member', { ...least, colour: null }, 'colour', 'unknown field'],
    ['an unknown member of a battery', { ...least, battery: { level: null } }, 'battery.level', 'unknown field'],
    ['__proto__', parsed(`{"timestamp":"${least.timestamp}","__proto__":null}`), '__proto__', LOST],
    [
      '__proto__ of a battery beside another',
      parsed(`{"timestamp":"${least.timestamp}","jobId":null,"battery":{"percent":null,"__proto__":null}}`),
      'battery.__proto__',
      LOST,
    ],
    [
      '__proto__ of vendor data',
      parsed(`{"timestamp":"${least.timestamp}","sensorPayload":{"camera":null,"__proto__":null}}`),
      'sensorPayload.__proto__',
      LOST,
    ],
    ['place of a sample', null, '', 'must be an object'],
  ])('in %s is refused', async (_, reported, path, message) => {
    const at = ['telemetry.0', path].filter((part) => part !== '').join('.');
    expect(await outcome(reported)).toMatchObject({ delivered: [], faults: [{ path: at, message }] });
  });

  test('in deviceId is refused', async () => {
    const expected = [{ path: 'telemetry.0.deviceId', message: 'must be a string' }];
    expect(await outcome(fullSample, { deviceId: null })).toMatchObject({ delivered: [], faults: expected });
  });

  test('everywhere is refused by what is required, and only by that', async () => {
    const nulls = Object.fromEntries(Object.keys(fullSample).map((name) => [name, null]));
    expect(await outcome({ ...nulls, jobId: id('job') }, { deviceId: null, jobId: null })).toMatchObject({
      faults: [{ path: 'telemetry.0.deviceId' }, { path: 'telemetry.0.timestamp' }],
    });
  });
});

test('any of them are left out of what a schema reads, and nothing is changed in what was sent', () => {
  const some = fc.subarray(optional);
  fc.assert(
    fc.property(some, (paths) => {
      const [nulls, expected] = [structuredClone<object>(fullSample), structuredClone<object>(fullSample)];
      for (const path of paths.toReversed()) {
        setNull(nulls, path);
        leaveOut(expected, path);
      }
      const sent = structuredClone(nulls);
      expect(reportedSample.parse(nulls)).toEqual(reportedSample.parse(expected));
      expect(nulls).toEqual(sent);
    }),
  );
});

test('a refused sample is set aside as it arrived, with its nulls', async () => {
  const refused = { ...least, deviceId: newDeviceId(), battery: { percent: 101, voltage: null }, jobId: null };
  await ways.bus(refused);
  expect(deadLetters()).toEqual([
    [platformEvent('device.telemetry.reported', { telemetry: [refused] }), 'battery.percent must be 100 or less'],
  ]);
});

import * as z from 'zod/mini';
import { platformEventExamples } from '../../../contract/platform/platform-events.examples';
import { platformEnvelope } from '../../../contract/platform/platform-envelope';
import { inboundEvents, type InboundEventType } from '../../../domain/platform/inbound-events';
import { PLATFORM } from '../../../domain/values/service';
import { commandToItem as commandItem } from '../../../data/commands/commands';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { jobToItem as jobItem } from '../../../data/jobs/jobs';
import { organisationOf } from '../../../domain/values/id';
import { moment } from '../../../domain/values/text';
import { forgetDevice } from '../../../lambdas/telemetry/device-memory';
import { storeOnEngine } from '../../data/fixtures/engine';
import { sampleCommand, sampleJob } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';
import { consume, deadLetters, rejected } from '../fixtures/platform-events';
import '../fixtures/telemetry';

const engine = storeOnEngine('jobs', 'fleet', 'commands', 'requests', 'flights');
const now = '2026-11-27T10:45:00.000Z';
const hourAgo = '2026-11-27T09:45:00.000Z';

type Schema = z.core.JSONSchema.BaseSchema;

/** The paths of the times in a JSON Schema; an element of a list is `0`. */
function timesIn({ format, properties = {}, items }: Schema, path: readonly string[] = []): string[] {
  if (format === 'date-time') return [path.join('.')];
  const inner = Object.entries({ ...properties, ...(items !== undefined && { 0: items }) });
  return inner.flatMap(([name, schema]) => timesIn(schema as Schema, [...path, name]));
}

const jsonSchemaOf = (schema: z.ZodMiniType): Schema =>
  z.toJSONSchema(schema, {
    unrepresentable: 'any',
    // It converts, so zod has no JSON Schema of what it gives.
    override: ({ zodSchema, jsonSchema }) => void (zodSchema === moment && (jsonSchema.format = 'date-time')),
  });

const types = Object.keys(inboundEvents) as InboundEventType[];
/** Each time of each event, as `type path`: those of its envelope, and those of its detail. */
const fields = types.flatMap((type) => [
  ...timesIn(jsonSchemaOf(platformEnvelope)).map((path) => `${type} ${path}`),
  ...timesIn(jsonSchemaOf(inboundEvents[type])).map((path) => `${type} detail.${path}`),
]);

/** `applied`, `late` (an event from before what is known), or `malformed`. */
type Verdict = 'applied' | 'late' | 'malformed';
const times = { '1970': '1970-01-01T00:00:00.000Z', '9999': '9999-12-31T23:59:59.999Z' } as const;
const columns = { ...times, 'two minutes ahead': '2026-11-27T10:47:00.000Z', now } as const;

/** A time that says nothing: the detail has its own. */
const unused: readonly Verdict[] = ['applied', 'applied', 'applied', 'applied'];
/** Of what replaces what was told before. */
const ordered: readonly Verdict[] = ['late', 'malformed', 'malformed', 'applied'];
/** It says how long ago the event happened: a replayed one keeps no device online. */
const ages: readonly Verdict[] = ['applied', 'malformed', 'malformed', 'applied'];
/** Not before what it is about. */
const bounded: readonly Verdict[] = ['malformed', 'malformed', 'malformed', 'applied'];

/** What becomes of an event whose time is that of 1970, of 9999, two minutes ahead, and now. */
const verdicts: Readonly<Record<string, readonly Verdict[]>> = {
  'job.status.reported time': unused,
  'job.status.reported detail.at': bounded,
  'device.telemetry.reported time': ages,
  'device.telemetry.reported detail.telemetry.0.timestamp': ordered,
  'device-group.registered time': ordered,
  'device-group.registered detail.at': ordered,
  'device-group.removed time': ordered,
  'device-group.removed detail.at': ordered,
  'device.registered time': ordered,
  'device.registered detail.at': ordered,
  'device.removed time': ordered,
  'device.removed detail.at': ordered,
  'jobs.requested time': unused,
  'control.outcome.reported time': unused,
  'control.outcome.reported detail.at': bounded,
  'mission.check.reported time': unused,
};

interface Example {
  id: string;
  time: string;
  detail: Record<string, unknown>;
}

/** An event that is right, now. @param path without it, where the envelope's time is asked for */
function rightEvent(type: string, path = ''): Example & Record<string, unknown> {
  const found = platformEventExamples.find((each) => each.source === PLATFORM && each['detail-type'] === type);
  const event = { id: 'event-right', source: PLATFORM, 'detail-type': type, time: now, detail: {} };
  const detail = structuredClone(found?.detail ?? {}) as Record<string, unknown>;
  const own = timesIn(jsonSchemaOf(inboundEvents[type as InboundEventType]));
  const right = { ...event, detail };
  for (const each of own) set(right, `detail.${each}`, now);
  // Without its own time the one of the envelope counts.
  if (path === 'time' && ordered === verdicts[`${type} time`]) delete (right.detail as { at?: string }).at;
  return right;
}

/** Puts a time at a path of an event. */
function set(event: object, path: string, value: string): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const owner = names.reduce<object>((inner, name) => (inner as Record<string, object>)[name] ?? {}, event);
  Object.assign(owner, { [last]: value });
}

const of = (type: string) => platformEventExamples.find((each) => each['detail-type'] === type)?.detail as never;

/** Stores all that the examples are about, as it was told an hour ago. */
async function givenWhatTheyAreAbout(): Promise<void> {
  const { deviceId, deviceGroupId } = of('device.registered') as { deviceId: string; deviceGroupId: string };
  const { jobId } = of('job.status.reported') as { jobId: string };
  const { requestId: commandId } = of('control.outcome.reported') as { requestId: string };
  const organisation = organisationOf('device', deviceId) ?? '';
  const told = { eventTime: hourAgo, version: 1 };
  const known = { kind: 'device', deviceId, deviceGroupId, name: 'Kestrel', status: 'offline' };
  const state = { lastState: JSON.stringify({ timestamp: hourAgo }) };
  await engine.put('fleet', { ...fleetKey(organisation, deviceId), ...known, ...state, ...told });
  forgetDevice(deviceId);
  const group = { kind: 'group', deviceGroupId, name: 'North quarry', description: '' };
  await engine.put('fleet', { ...fleetKey(organisation, deviceGroupId), ...group, ...told });
  const { stream } = of('device.registered') as { stream: string };
  const video = { kind: 'stream', streamId: stream, deviceId, videoStream: stream };
  await engine.put('fleet', { ...fleetKey(organisation, stream), ...video, ...told });
  const job = sampleJob({ jobId, deviceGroupId, status: 'QUEUED', createdAt: hourAgo, updatedAt: hourAgo });
  await engine.put('jobs', jobItem(organisation, job));
  await engine.put('commands', commandItem(sampleCommand({ commandId, deviceId, requestedAt: now }), undefined));
}

const reasons = () => logLines().flatMap(({ reason }) => (reason === undefined ? [] : [reason]));

beforeEach(async () => {
  jest.useFakeTimers({
    now: new Date(now),
    doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout', 'clearTimeout'],
  });
  await givenWhatTheyAreAbout();
});
afterEach(() => {
  jest.useRealTimers();
});

test('there is a verdict on each time of each event', () => {
  expect(Object.keys(verdicts).sort()).toEqual(fields.sort());
});

const cells = Object.entries(verdicts).flatMap(([field, [...row]]) =>
  Object.entries(columns).map(([when, time], index) => [field, when, row[index] as Verdict, time] as const),
);

test.each(cells)(
  '%s of %s: the event is %s, and is not in the way of a right one after it',
  async (field, _, verdict, time) => {
    const [type = '', path = ''] = field.split(' ');
    const event = { ...rightEvent(type, path), id: 'event-asked' };
    set(event, path, time);
    await consume(JSON.stringify(event));
    expect(reasons()).toEqual(verdict === 'applied' ? [] : [verdict]);
    const isMalformed = verdict === 'malformed';
    const said = path.replace('detail.', '').replace('telemetry.0.', '');
    expect(deadLetters()).toEqual(
      isMalformed ? [[expect.anything(), expect.stringMatching(new RegExp(`^${said} is more than 60 seconds `))]] : [],
    );
    expect(rejected().filter(([told]) => told === 'report.rejected')).toHaveLength(isMalformed ? 1 : 0);
    // Nothing of a wrong time is in the way of what is true.
    if (verdict === 'applied') return;
    await consume(JSON.stringify(rightEvent(type, path)));
    expect(reasons()).toEqual([verdict]);
  },
);

test.each([
  ['a minute before the request', '2026-11-27T10:44:00.000Z', 'DONE', undefined],
  ['more than a minute before the request', '2026-11-27T10:43:59.999Z', 'REQUESTED', 'malformed'],
  ['a minute ahead', '2026-11-27T10:46:00.000Z', 'DONE', undefined],
  ['more than a minute ahead', '2026-11-27T10:46:00.001Z', 'REQUESTED', 'malformed'],
])('an outcome of %s: %s leaves the command %s', async (_, at, status, reason) => {
  const event = rightEvent('control.outcome.reported');
  Object.assign(event.detail, { outcome: 'DONE', reason: undefined, at });
  await consume(JSON.stringify(event));
  expect(reasons()).toEqual(reason === undefined ? [] : [reason]);
  expect(await engine.all('commands')).toMatchObject([{ status }]);
});

test.each(['DONE', 'TIMED_OUT'] as const)('a wrong time is told, too, of a command that is %s', async (status) => {
  const { requestId: commandId, deviceId } = of('control.outcome.reported') as { requestId: string; deviceId: string };
  const ended = sampleCommand({ commandId, deviceId, requestedAt: now, status, endedAt: now });
  await engine.put('commands', commandItem(ended, undefined));
  const event = rightEvent('control.outcome.reported');
  set(event, 'detail.at', times['1970']);
  await consume(JSON.stringify(event));
  expect(reasons()).toEqual(['malformed']);
  expect(await engine.all('commands')).toMatchObject([{ status, version: 1 }]);
  expect((await engine.all('commands'))[0]).not.toHaveProperty('lateOutcome');
});

describe.each([
  ['device-group.registered', 'device-group.removed', 'deviceGroupId'],
  ['device-group.removed', 'device-group.registered', 'deviceGroupId'],
  ['device.registered', 'device.removed', 'deviceId'],
  ['device.removed', 'device.registered', 'deviceId'],
] as const)('%s of a clock that is ahead', (type, next, idField) => {
  const ahead = '2026-11-27T10:45:40.000Z';
  const sent = (of: string, at: string, eventId = `event-${of}`) => {
    const event = rightEvent(of);
    event.detail['at'] = at;
    return JSON.stringify({ ...event, id: eventId });
  };
  const stored = async () => {
    const detail = rightEvent(type).detail as Record<string, string>;
    const id = detail[idField] ?? '';
    return engine.get('fleet', fleetKey(organisationOf(idField === 'deviceId' ? 'device' : 'group', id) ?? '', id));
  };
  /** How long after the first delivery, in seconds. */
  const laterBy = (seconds: number) => jest.setSystemTime(Date.parse(now) + seconds * 1000);

  test.each(['event-again', `event-${type}`])('leaves the same when it comes twice, as %s', async (eventId) => {
    await consume(sent(type, ahead));
    const first = await stored();
    expect(first).toMatchObject({ eventTime: ahead });
    laterBy(20);
    await consume(sent(type, ahead, eventId));
    const { version: _, ...again } = (await stored()) ?? {};
    expect(first).toMatchObject(again);
    expect(reasons()).toEqual([]);
  });

  test('is late when it comes again after the next one of the same clock', async () => {
    await consume(sent(type, ahead));
    laterBy(5);
    await consume(sent(next, '2026-11-27T10:45:45.000Z'));
    const after = await stored();
    laterBy(20);
    await consume(sent(type, ahead));
    expect(reasons()).toEqual(['late']);
    expect(await stored()).toEqual(after);
  });

  test('is not in the way of the next one of a right clock, unless that would undo a removal', async () => {
    await consume(sent(type, ahead));
    laterBy(20);
    await consume(sent(next, '2026-11-27T10:45:15.000Z'));
    const isRemoval = type.endsWith('.removed');
    expect(reasons()).toEqual(isRemoval ? ['late'] : []);
    expect(await stored()).toMatchObject({ eventTime: isRemoval ? ahead : '2026-11-27T10:45:15.000Z' });
  });
});

test.each([
  ['device-group', 'deviceGroupId'],
  ['device', 'deviceId'],
] as const)(
  'a %s that was removed stays so when its registration comes again between the times of both',
  async (kind, idField) => {
    const sent = (of: string, at: string) => {
      const event = rightEvent(of);
      event.detail['at'] = at;
      return JSON.stringify({ ...event, id: `event-${of}` });
    };
    const { [idField]: id = '' } = rightEvent(`${kind}.registered`).detail as Record<string, string>;
    const key = fleetKey(organisationOf(kind === 'device' ? 'device' : 'group', id) ?? '', id);
    const registration = sent(`${kind}.registered`, '2026-11-27T10:45:40.000Z');
    await consume(registration);
    jest.setSystemTime(Date.parse(now) + 5000);
    await consume(sent(`${kind}.removed`, '2026-11-27T10:45:45.000Z'));
    const removed = await engine.get('fleet', key);
    expect(removed).toMatchObject({ kind: 'removed' });
    jest.setSystemTime(Date.parse(now) + 42_000);
    await consume(registration);
    expect(reasons()).toEqual(['late']);
    expect(await engine.get('fleet', key)).toEqual(removed);
  },
);

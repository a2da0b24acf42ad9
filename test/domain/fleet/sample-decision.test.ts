import { device, type Device } from '../../../domain/fleet/fleet';
import { decide, faultIn, type KnownDevice, type NamedJob } from '../../../domain/fleet/sample-decision';
import { withoutNullIsland, type Sample } from '../../../domain/telemetry/telemetry';
import { acme, id, rival } from '../fixtures/samples';

const now = new Date('2026-11-27T10:30:00.000Z');
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();
const deviceId = id('device');
const jobId = id('job');
const position = { type: 'Point' as const, coordinates: [8.5, 47.4, 480] as [number, number, number] };
const sample = (seconds: number, change: Partial<Sample> = {}): Sample => ({
  deviceId,
  timestamp: at(seconds),
  droneState: 'WAYPOINT',
  navigation: { position },
  jobId,
  ...change,
});
/** A device that flies since a minute, after its last sample. */
const flying = (last: Partial<Sample> = {}, change: Partial<Device> = {}): Device =>
  device.parse({
    deviceId,
    deviceGroupId: id('group'),
    name: 'Kestrel',
    status: 'online',
    savedAt: at(-1),
    reportedAt: at(-1),
    takeOff: { timestamp: at(-60), altitude: 440 },
    lastState: sample(-1.5, last),
    ...change,
  });
const running = (change: Partial<NamedJob> = {}): NamedJob => ({
  jobId,
  status: 'IN_PROGRESS',
  times: { startedAt: at(-50) },
  ...change,
});
const jobsOf = (...jobs: NamedJob[]) => new Map(jobs.map((each) => [each.jobId, each]));
/** Who gets which of the samples at so many seconds: followers, the record of the job, that of the device. */
const outcome = (known: KnownDevice, samples: readonly Sample[], job = running()) => {
  const { news, entries } = decide(known, samples, jobsOf(job), now);
  const seconds = (all: readonly { readonly timestamp: string }[]) =>
    all.map(({ timestamp }) => (Date.parse(timestamp) - now.getTime()) / 1000);
  const recorded = (kind: string) => seconds(entries.filter((each) => each.kind === kind).map(({ point }) => point));
  return { news: seconds(news), job: recorded('job'), device: recorded('device') };
};

describe('decide', () => {
  test.each<[string, Sample[], ReturnType<typeof outcome>]>([
    ['a sample of the next second', [sample(0)], { news: [0], job: [0], device: [0] }],
    ['the sample that is saved', [sample(-1.5)], { news: [], job: [-1.5], device: [-1.5] }],
    ['one of the same second as the saved one', [sample(-1.2)], { news: [-1.2], job: [], device: [] }],
    ['an earlier one of the same second', [sample(-1.7)], { news: [], job: [-1.7], device: [-1.7] }],
    ['a late one', [sample(-20)], { news: [], job: [-20], device: [-20] }],
    ['one of before the flight', [sample(-70)], { news: [], job: [], device: [] }],
    ['one of before the job', [sample(-55)], { news: [], job: [], device: [-55] }],
    [
      'three of a second, in any order',
      [2.9, 2.1, 2.5].map((s) => sample(s)),
      { news: [2.1, 2.5, 2.9], job: [2.1], device: [2.1] },
    ],
    ['one without a position', [sample(0, { navigation: {} })], { news: [0], job: [], device: [] }],
    ['one without a job', [sample(0, { jobId: undefined })], { news: [0], job: [], device: [0] }],
    [
      'one of another job',
      [sample(0, { jobId: id('job', acme, 'x'.repeat(26)) })],
      { news: [0], job: [], device: [0] },
    ],
    ['a landing', [sample(0, { droneState: 'LANDED' })], { news: [0], job: [0], device: [] }],
    ['a repetition in the list', [sample(0), sample(0)], { news: [0], job: [0], device: [0] }],
  ])('of %s', (_, samples, expected) => {
    expect(outcome({ device: flying() }, samples)).toEqual(expected);
  });

  test.each<[string, NamedJob | undefined, number[]]>([
    ['has not begun', running({ status: 'QUEUED', times: {} }), [-55, 0]],
    ['has ended', running({ status: 'COMPLETED', times: { startedAt: at(-50), endedAt: at(-1) } }), []],
    ['never began', running({ status: 'CANCELLED', times: { endedAt: at(-1) } }), []],
    ['was deleted', undefined, []],
    ['may still be running', running(), [0]],
  ])('records positions of a job that %s', (_, job, expected) => {
    expect(outcome({ device: flying() }, [sample(-55), sample(0)], job ?? running({ jobId: 'another' })).job).toEqual(
      expected,
    );
  });

  test('takes what was before the flight for less than its first position, as soon as that is known', () => {
    const since = (job: NamedJob) => decide({ device: flying() }, [sample(0)], jobsOf(job), now).entries[0]?.since;
    expect(since(running())).toBe(at(-50));
    expect(since(running({ status: 'QUEUED', times: {} }))).toBeUndefined();
  });

  test('counts the latest sample that was accepted, though it is not saved', () => {
    const known = { device: flying(), latest: sample(-0.4) };
    expect(outcome(known, [sample(-0.5), sample(-0.3), sample(0.2)])).toEqual({
      news: [-0.3, 0.2],
      job: [-0.5, 0.2],
      device: [-0.5, 0.2],
    });
  });

  test.each([
    ['nothing to report again', flying({}, { reportedAt: at(-0.5) }), 'nothing'],
    ['a report of a device that has been silent', flying(), 'report'],
    ['a report of an offline device', flying({}, { status: 'offline' }), 'report'],
  ])('makes of late samples %s', (_, known, kind) => {
    expect(decide({ device: known }, [sample(-5)], jobsOf(running()), now).saving.kind).toBe(kind);
  });
});

describe('faultIn', () => {
  test.each([
    ['of the device', {}, undefined],
    ['a minute ahead', { timestamp: at(60) }, undefined],
    ['more than a minute ahead', { timestamp: at(60.001) }, ['timestamp', 'is more than 60 seconds in the future']],
    ['of a foreign job', { jobId: id('job', rival) }, ['jobId', 'is not a job of yours']],
    ['of a job that was deleted', { jobId: id('job', acme, 'x'.repeat(26)) }, undefined],
    ["of a job by a name of the platform's", { jobId: 'mission 7' }, undefined],
    ['without a job', { jobId: undefined }, undefined],
  ])('of a sample %s (%j) is %j', (_, change, expected) => {
    const fault = faultIn(sample(0, change), flying(), jobsOf(running()), now);
    expect(fault && [fault.path, fault.message]).toEqual(expected);
  });

  test.each<[string, Partial<NamedJob>, string | undefined]>([
    ['of this device', { deviceId }, undefined],
    ['of another device', { deviceId: id('device', acme, 'x'.repeat(26)) }, 'is the job of another device'],
    ['that ended 24 hours ago', { times: { endedAt: at(-86_400) } }, undefined],
    [
      'that ended more than 24 hours ago',
      { times: { endedAt: at(-86_401) } },
      'is a job that ended more than 24 hours ago',
    ],
  ])('of a sample of a job %s (%j) is %j', (_, change, message) => {
    expect(faultIn(sample(0), flying(), jobsOf(running(change)), now)?.message).toBe(message);
  });

  test('of a sample of a device that is not known', () => {
    expect(faultIn(sample(0), undefined, new Map(), now)?.message).toBe('is not a device of yours');
  });
});

test.each([
  ['0, 0', [0, 0, 12], undefined],
  ['the equator', [8.5, 0, 12], [8.5, 0, 12]],
  ['the prime meridian', [0, 51.5, 12], [0, 51.5, 12]],
] as [string, [number, number, number], unknown][])('a position at %s', (_, coordinates, expected) => {
  const velocity = { groundSpeed: 3 };
  const reported = sample(0, { navigation: { position: { type: 'Point', coordinates }, velocity } });
  const { navigation } = withoutNullIsland(reported);
  expect(navigation?.position?.coordinates).toEqual(expected);
  expect(navigation?.velocity).toEqual(velocity);
});

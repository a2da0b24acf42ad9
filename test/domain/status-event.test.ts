import fc from 'fast-check';
import { channels, topicOf } from '../../contract/channels';
import type { Device } from '../../domain/fleet';
import type { Job } from '../../domain/job';
import { jobStatuses } from '../../domain/job-lifecycle';
import type { Share } from '../../domain/share';
import {
  deviceMessage,
  eventsBetween,
  jobMessage,
  positionMessage,
  shareMessage,
  type Change,
} from '../../domain/status-event';
import { id, sampleJob, sampleShare } from './fixtures/samples';

const at = '2026-11-27T10:30:00.000Z';
const sampleDevice = (change: Partial<Device> = {}): Device => ({
  deviceId: id('device'),
  deviceGroupId: id('group'),
  name: 'North 1',
  status: 'online',
  version: 4,
  ...change,
});

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const version = fc.integer({ min: 1, max: 1e6 });
const moment = fc.integer({ min: 0, max: 3 }).map((second) => `2026-11-27T10:29:0${second}.000Z`);
const job: fc.Arbitrary<Job> = fc
  .record({
    status: fc.constantFrom(...jobStatuses),
    version,
    name: fc.string(),
    priority: fc.integer(),
    updatedAt: moment,
  })
  .map(sampleJob);
const lastState = fc.record({ timestamp: moment, droneState: fc.constantFrom('HOVER', 'ORBIT') });
const device: fc.Arbitrary<Device> = fc
  .record({ status: fc.constantFrom('online', 'offline'), version, name: fc.string(), lastState: optional(lastState) })
  .map(({ lastState: state, ...rest }) => sampleDevice({ ...rest, ...(state && { lastState: state }) }));
const share: fc.Arbitrary<Share> = fc
  .record({
    currentViewers: fc.integer({ min: 0, max: 3 }),
    version,
    expiresAt: fc.constantFrom('2026-11-27T10:29:00.000Z', at, '2026-11-27T11:00:00.000Z'),
  })
  .map(sampleShare);

const pair = <Resource>(resource: fc.Arbitrary<Resource>) => ({
  before: optional(resource),
  after: optional(resource),
});
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('job' as const), ...pair(job) }),
  fc.record({ kind: fc.constant('device' as const), ...pair(device) }),
  fc.record({ kind: fc.constant('share' as const), ...pair(share) }),
);

/** What of a resource its followers follow. */
const followed = ({ kind, before, after }: Change): unknown[] =>
  [before, after].map((resource) => {
    if (!resource) return undefined;
    if (kind === 'job') return (resource as Job).status;
    if (kind === 'share') return (resource as Share).currentViewers;
    const { status, lastState: state } = resource as Device;
    return `${status} ${state?.timestamp ?? ''}`;
  });

describe('Whatever changes', () => {
  test('is said once if it is what somebody follows, and not at all if it is not.', () => {
    fc.assert(
      fc.property(change, (any) => {
        const [before, after] = followed(any);
        expect(eventsBetween(any, at)).toHaveLength(before === after ? 0 : 1);
      }),
    );
  });

  test('is said in the same words however often, and stays as it was.', () => {
    fc.assert(
      fc.property(change, (any) => {
        const copy = structuredClone(any);
        expect(eventsBetween(any, at)).toEqual(eventsBetween(any, at));
        expect(any).toEqual(copy);
      }),
    );
  });

  test('is said on the channel of its own resource, in a message that the contract promises.', () => {
    fc.assert(
      fc.property(change, (any) => {
        for (const { channel, message } of eventsBetween(any, at)) {
          const plain: unknown = JSON.parse(JSON.stringify(message));
          expect(channels[channel.kind].message.parse(plain)).toEqual(plain);
          const own = { job: id('job'), device: id('group'), share: id('share') }[any.kind];
          expect(channel.id).toBe(own);
        }
      }),
    );
  });

  test('has the version of its resource for a sequence, and one more when that is gone.', () => {
    fc.assert(
      fc.property(change, (any) => {
        const { before, after } = any;
        for (const { message } of eventsBetween(any, at))
          expect(message.sequence).toBe(after ? after.version : (before?.version ?? NaN) + 1);
      }),
    );
  });

  test('ends the channel of a job or a share if it is gone, and no other: a group has more devices.', () => {
    fc.assert(
      fc.property(change, (any) => {
        for (const { weight } of eventsBetween(any, at))
          expect(weight === 'last').toBe(!any.after && any.kind !== 'device');
      }),
    );
  });
});

describe('A job', () => {
  test('that is new says its state, without one before it.', () => {
    const [event, ...others] = eventsBetween({ kind: 'job', before: undefined, after: sampleJob() }, at);
    expect(others).toEqual([]);
    expect(event).toEqual({
      channel: { kind: 'job', id: id('job') },
      weight: 'state',
      message: jobMessage(sampleJob()),
    });
    expect(event?.message).not.toHaveProperty('previousState');
  });

  test('that moves on says from where, and when it did.', () => {
    const after = sampleJob({ status: 'QUEUED', version: 4, updatedAt: '2026-11-27T10:29:59.123Z' });
    const [event] = eventsBetween({ kind: 'job', before: sampleJob(), after }, at);
    expect(event?.message).toEqual({
      type: 'job.status',
      sequence: 4,
      jobId: id('job'),
      deviceGroupId: id('group'),
      jobState: 'QUEUED',
      previousState: 'PENDING',
      timestamp: '2026-11-27T10:29:59.123Z',
    });
  });

  test.each(jobStatuses)(
    'that is %s is kept for a day if no other state can follow, else until one does.',
    (status) => {
      const [event] = eventsBetween({ kind: 'job', before: undefined, after: sampleJob({ status }) }, at);
      expect(event?.weight).toBe(['COMPLETED', 'FAILED', 'CANCELLED'].includes(status) ? 'final' : 'state');
    },
  );

  test('that is deleted never says so at a time before its last state: records of a stream are rounded down.', () => {
    const before = sampleJob({ updatedAt: '2026-11-27T10:30:00.900Z' });
    const [event] = eventsBetween({ kind: 'job', before, after: undefined }, at);
    expect(event?.message.timestamp).toBe('2026-11-27T10:30:00.900Z');
  });

  test('that is deleted says so with the state that it had, as its last word.', () => {
    const [event] = eventsBetween({ kind: 'job', before: sampleJob({ status: 'QUEUED' }), after: undefined }, at);
    expect(event).toMatchObject({
      weight: 'last',
      message: { jobState: 'QUEUED', deleted: true, sequence: 4, timestamp: at },
    });
  });

  test('tells on its channel where its device is, with its own state and version.', () => {
    const running = sampleJob({ status: 'IN_PROGRESS' });
    const navigation = { orientation: { heading: 90 } };
    const flying = sampleDevice({ lastState: { timestamp: at, droneState: 'WAYPOINT', navigation } });
    expect(positionMessage(running, flying, at)).toEqual({
      ...jobMessage(running),
      deviceId: id('device'),
      droneState: 'WAYPOINT',
      dockState: undefined,
      navigation,
      simulated: undefined,
      timestamp: at,
    });
  });
});

describe('A device', () => {
  const reported = (timestamp: string) => ({ lastState: { timestamp, droneState: 'HOVER' } });

  test('that comes online is a state, and one that only reports is passing.', () => {
    const [before, after] = [sampleDevice({ status: 'offline' }), sampleDevice(reported('2026-11-27T10:29:01.000Z'))];
    expect(eventsBetween({ kind: 'device', before, after }, at)).toMatchObject([{ weight: 'state' }]);
    const later = sampleDevice(reported('2026-11-27T10:29:02.000Z'));
    expect(eventsBetween({ kind: 'device', before: after, after: later }, at)).toMatchObject([
      { weight: 'passing', message: { droneState: 'HOVER', timestamp: '2026-11-27T10:29:02.000Z' } },
    ]);
  });

  test('that is renamed says nothing.', () => {
    const before = sampleDevice(reported(at));
    expect(eventsBetween({ kind: 'device', before, after: { ...before, name: 'South' } }, at)).toEqual([]);
  });

  test('that is taken away goes offline for good, which the group keeps.', () => {
    expect(eventsBetween({ kind: 'device', before: sampleDevice(), after: undefined }, at)).toMatchObject([
      { weight: 'state', message: { status: 'offline', deleted: true, sequence: 5, timestamp: at } },
    ]);
  });

  test('that never reported has the moment of asking for a timestamp.', () => {
    expect(deviceMessage(sampleDevice(), at).timestamp).toBe(at);
  });
});

describe('A share', () => {
  const expiresAt = '2026-11-27T10:30:00.500Z';
  const createdAt = '2026-11-27T10:29:00.000Z';
  const ended = (change: Partial<Share>, moment = at) => {
    const before = sampleShare({ createdAt, expiresAt, currentViewers: 2, ...change });
    return eventsBetween({ kind: 'share', before, after: undefined }, moment);
  };

  test('that is gone was revoked, whatever the moment of the record is rounded to.', () => {
    const last = { weight: 'last', message: { shareState: 'REVOKED', currentViewers: 0, sequence: 2 } };
    expect(ended({})).toMatchObject([last]);
    expect(ended({}, '2026-11-27T10:31:00.000Z')).toMatchObject([last]);
    expect(ended({}, '2026-11-27T10:28:00.000Z')).toMatchObject([{ message: { timestamp: createdAt } }]);
  });

  test('that is gone with the mark that its time was up has expired, at that time.', () => {
    for (const moment of [at, '2026-11-27T10:28:00.000Z']) {
      expect(ended({ expired: true }, moment)).toMatchObject([
        { weight: 'last', message: { shareState: 'EXPIRED', currentViewers: 0, sequence: 2, timestamp: expiresAt } },
      ]);
    }
  });

  test('that is marked because its time is up says nothing yet.', () => {
    const change = { before: sampleShare(), after: sampleShare({ expired: true }) };
    expect(eventsBetween({ kind: 'share', ...change }, at)).toEqual([]);
  });

  test('says how many watch it.', () => {
    const [before, after] = [sampleShare(), sampleShare({ currentViewers: 1, version: 2 })];
    expect(eventsBetween({ kind: 'share', before, after }, at)).toEqual([
      { channel: { kind: 'share', id: id('share') }, weight: 'state', message: shareMessage(after, at) },
    ]);
  });
});

test('The topic of a channel begins with its identifier, so that a policy can fence it.', () => {
  expect(topicOf({ kind: 'job', id: 'a' })).toBe('a/JOB/STATUS');
  expect(topicOf({ kind: 'group', id: 'a' })).toBe('a/DEVICE/STATUS');
  expect(topicOf({ kind: 'share', id: 'a' })).toBe('a/SHARE/STATUS');
});

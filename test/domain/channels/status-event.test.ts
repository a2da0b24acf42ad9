import { findChannels } from '../../../contract/channels/status-channels';
import { topicName } from '../../../contract/terms/channel-addresses';
import { statusMessages } from '../../../contract/channels/status-messages';
import {
  type Change,
  deviceMessage,
  endsChannel,
  eventsBetween,
  isLogged,
  jobMessage,
  positionMessage,
  shareMessage,
  buildSnapshot,
} from '../../../domain/channels/status-event';
import type { Device } from '../../../domain/fleet/device';
import type { Job } from '../../../domain/jobs/job';
import { jobStatuses } from '../../../domain/jobs/job-lifecycle';
import type { Share } from '../../../domain/shares/share';
import { fc } from '../../property-runs';
import { acme, id, sampleDevice, sampleJob, sampleShare } from '../fixtures/samples';

const at = '2026-11-27T10:30:00.000Z';

describe('Status event', () => {
  describe('eventsBetween for a job', () => {
    test('returns the state of a new job without previousState', () => {
      const [event, ...others] = eventsBetween({ kind: 'job', before: undefined, after: sampleJob() }, at);
      expect(others).toEqual([]);
      expect(event).toEqual({
        role: 'state',
        message: jobMessage(sampleJob()),
      });
      expect(event?.message).not.toHaveProperty('previousState');
    });

    test('returns state, previousState and time of a transition', () => {
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

    test('has the progress that was reported with the status', () => {
      const after = sampleJob({ status: 'IN_PROGRESS', version: 4, progress: { percent: 0, distanceLeft: 780 } });
      const [event] = eventsBetween({ kind: 'job', before: sampleJob({ status: 'QUEUED' }), after }, at);
      expect(event?.message).toMatchObject({ progress: { percent: 0, distanceLeft: 780 } });
    });

    test.each(jobStatuses)('returns %s as a state, whether another can follow or not', (status) => {
      const [event] = eventsBetween({ kind: 'job', before: undefined, after: sampleJob({ status }) }, at);
      expect(event?.role).toBe('state');
    });

    test('sets the time of a deletion not before the last state, since stream records are rounded down', () => {
      const before = sampleJob({ updatedAt: '2026-11-27T10:30:00.900Z' });
      const [event] = eventsBetween({ kind: 'job', before, after: undefined }, at);
      expect(event?.message.timestamp).toBe('2026-11-27T10:30:00.900Z');
    });

    test('returns the final message of a deleted job with its last state', () => {
      const [event] = eventsBetween({ kind: 'job', before: sampleJob({ status: 'QUEUED' }), after: undefined }, at);
      expect(event).toMatchObject({
        role: 'end',
        message: { jobState: 'QUEUED', deleted: true, sequence: 4, timestamp: at },
      });
    });

    test('positionMessage has state and version of the job and the position of the device', () => {
      const running = sampleJob({ status: 'IN_PROGRESS', progress: { percent: 0 } });
      const navigation = { orientation: { heading: 90 } };
      const progress = { percent: 42 };
      const flying = sampleDevice({ lastState: { timestamp: at, droneState: 'WAYPOINT', navigation, progress } });
      expect(positionMessage(running, flying, at)).toEqual({
        ...jobMessage(running),
        deviceId: id('device'),
        droneState: 'WAYPOINT',
        dockState: undefined,
        navigation,
        progress,
        simulated: undefined,
        timestamp: at,
      });
    });
  });

  test('what is put back from a copy is told, and logged, whatever has changed', () => {
    const job = sampleJob({ name: 'as it was', version: 5 });
    const share = sampleShare({ version: 5 });
    const changes: readonly Change[] = [
      { kind: 'job', before: sampleJob({ name: 'damaged', version: 4 }), after: job },
      { kind: 'share', before: sampleShare({ maxViewers: 1, version: 4 }), after: share },
    ];
    const told = [jobMessage(job), shareMessage(share, at)];
    for (const [index, change] of changes.entries()) {
      expect(eventsBetween(change, at)).toEqual([]);
      const restored = { ...change, isRestored: true } as Change;
      const [event, ...others] = eventsBetween(restored, at);
      expect([event, others]).toEqual([{ role: 'state', message: told[index] }, []]);
      expect(event && isLogged(restored, event)).toBe(true);
    }
  });

  describe('eventsBetween for a device', () => {
    const reported = (timestamp: string) => ({ lastState: { timestamp, droneState: 'HOVER' } });

    test('returns a state when it comes online, and a transient message for each further report', () => {
      const [before, after] = [sampleDevice({ status: 'offline' }), sampleDevice(reported('2026-11-27T10:29:01.000Z'))];
      expect(eventsBetween({ kind: 'device', before, after }, at)).toMatchObject([{ role: 'state' }]);
      const later = sampleDevice(reported('2026-11-27T10:29:02.000Z'));
      expect(eventsBetween({ kind: 'device', before: after, after: later }, at)).toMatchObject([
        { role: 'transient', message: { droneState: 'HOVER', timestamp: '2026-11-27T10:29:02.000Z' } },
      ]);
    });

    test('returns a transient message for what came late, which has the time of the state before it', () => {
      const before = sampleDevice(reported(at));
      const lastState = {
        timestamp: at,
        droneState: 'HOVER',
        battery: { percent: 80 },
        measuredBefore: { battery: 1 },
      };
      const after = { ...before, lastState, version: before.version + 1 };
      const message = {
        battery: { percent: 80 },
        measuredBefore: { battery: 1 },
        timestamp: at,
        sequence: after.version,
      };
      expect(eventsBetween({ kind: 'device', before, after }, at)).toMatchObject([{ role: 'transient', message }]);
    });

    test('returns its state when it is renamed', () => {
      const before = sampleDevice(reported(at));
      const after = { ...before, name: 'South', version: before.version + 1 };
      expect(eventsBetween({ kind: 'device', before, after }, at)).toEqual([
        { role: 'state', message: deviceMessage(after, at) },
      ]);
    });

    test('returns its removal from the group that it leaves, and its state in the new one', () => {
      const before = sampleDevice();
      const after = { ...before, deviceGroupId: id('group', acme, 'another'), version: before.version + 1 };
      expect(eventsBetween({ kind: 'device', before, after }, at)).toMatchObject([
        { role: 'state', message: { deviceGroupId: id('group'), deleted: true, sequence: after.version } },
        { role: 'state', message: { deviceGroupId: id('group', acme, 'another'), sequence: after.version } },
      ]);
    });

    test('returns offline and deleted when it is removed, as a state of the group', () => {
      expect(eventsBetween({ kind: 'device', before: sampleDevice(), after: undefined }, at)).toMatchObject([
        { role: 'state', message: { status: 'offline', deleted: true, sequence: 5, timestamp: at } },
      ]);
    });

    test('uses the given time for a device that never reported', () => {
      expect(deviceMessage(sampleDevice(), at).timestamp).toBe(at);
    });
  });

  describe('eventsBetween for a share', () => {
    const expiresAt = '2026-11-27T10:30:00.500Z';
    const createdAt = '2026-11-27T10:29:00.000Z';
    const ended = (change: Partial<Share>, moment = at) => {
      const before = sampleShare({ createdAt, expiresAt, currentViewers: 2, ...change });
      return eventsBetween({ kind: 'share', before, after: undefined }, moment);
    };

    test('returns REVOKED for a deleted share, not before its creation', () => {
      const last = { role: 'end', message: { shareState: 'REVOKED', currentViewers: 0, sequence: 2 } };
      expect(ended({})).toMatchObject([last]);
      expect(ended({}, '2026-11-27T10:31:00.000Z')).toMatchObject([last]);
      expect(ended({}, '2026-11-27T10:28:00.000Z')).toMatchObject([{ message: { timestamp: createdAt } }]);
    });

    test.each([{}, { expired: true }] as const)('returns REVOKED with the time of the revocation for %j', (more) => {
      expect(ended({ revokedAt: '2026-11-27T10:29:30.123Z', ...more })).toMatchObject([
        { role: 'end', message: { shareState: 'REVOKED', timestamp: '2026-11-27T10:29:30.123Z' } },
      ]);
    });

    test('returns EXPIRED with the time of expiry for a deleted share that was marked as expired', () => {
      for (const moment of [at, '2026-11-27T10:28:00.000Z']) {
        expect(ended({ expired: true }, moment)).toMatchObject([
          { role: 'end', message: { shareState: 'EXPIRED', currentViewers: 0, sequence: 2, timestamp: expiresAt } },
        ]);
      }
    });

    test('returns nothing when a share is only marked as expired', () => {
      const change = { before: sampleShare(), after: sampleShare({ expired: true }) };
      expect(eventsBetween({ kind: 'share', ...change }, at)).toEqual([]);
    });

    test('returns the number of viewers when it changes', () => {
      const [before, after] = [sampleShare(), sampleShare({ currentViewers: 1, version: 2 })];
      expect(eventsBetween({ kind: 'share', before, after }, at)).toEqual([
        { role: 'state', message: shareMessage(after, at) },
      ]);
    });
  });

  test('the topic of a channel begins with its identifier, so that an IoT policy can restrict it', () => {
    expect(topicName({ kind: 'job', id: 'a' })).toBe('a/JOB/STATUS');
    expect(topicName({ kind: 'group', id: 'a' })).toBe('a/DEVICE/STATUS');
    expect(topicName({ kind: 'share', id: 'a' })).toBe('a/SHARE/STATUS');
  });

  describe('isLogged', () => {
    const job = sampleJob();
    const share = sampleShare();
    const flying = (timestamp: string) => sampleDevice({ status: 'online', lastState: { timestamp } });
    test.each<[string, Change, boolean]>([
      ['a new job', { kind: 'job', before: undefined, after: job }, true],
      ['a deleted job', { kind: 'job', before: job, after: undefined }, true],
      ['a new share', { kind: 'share', before: undefined, after: share }, true],
      ['an ended share', { kind: 'share', before: share, after: undefined }, true],
      ['a number of viewers', { kind: 'share', before: share, after: { ...share, currentViewers: 9 } }, false],
      ['a removed device', { kind: 'device', before: sampleDevice(), after: undefined }, true],
      ['a position', { kind: 'device', before: flying('2026-11-27T10:29:00.000Z'), after: flying(at) }, false],
    ])('of %s', (_, change, expected) => {
      const events = eventsBetween(change, at);
      expect(events.map((event) => isLogged(change, event))).toEqual([expected]);
    });
  });

  describe('endsChannel', () => {
    test.each<[string, Change, boolean]>([
      ['a new job', { kind: 'job', before: undefined, after: sampleJob() }, false],
      ['a deleted job', { kind: 'job', before: sampleJob(), after: undefined }, true],
      ['a share', { kind: 'share', before: undefined, after: sampleShare() }, false],
      ['an ended share', { kind: 'share', before: sampleShare(), after: undefined }, true],
      ['a removed device', { kind: 'device', before: sampleDevice(), after: undefined }, false],
    ])('of the message about %s', (_, change, expected) => {
      expect(eventsBetween(change, at).map(({ message }) => endsChannel(message))).toEqual([expected]);
    });
  });

  describe('snapshotOf', () => {
    const state = (change: Change) => buildSnapshot(change, at);

    test.each(jobStatuses)('is the state of a job that is %s, marked as a snapshot', (status) => {
      const job = sampleJob({ status });
      expect(state({ kind: 'job', before: job, after: job })).toEqual({
        role: 'state',
        message: { ...jobMessage(job), snapshot: true },
      });
    });

    test('is the state of a share, marked as a snapshot', () => {
      const share = sampleShare();
      expect(state({ kind: 'share', before: share, after: share })).toEqual({
        role: 'state',
        message: { ...shareMessage(share, at), snapshot: true },
      });
    });

    test.each<[string, Change]>([
      ['a job that was deleted', { kind: 'job', before: sampleJob(), after: undefined }],
      ['a share that was deleted', { kind: 'share', before: sampleShare(), after: undefined }],
      ['a share whose time is over', { kind: 'share', before: undefined, after: sampleShare({ expiresAt: at }) }],
      ['a share that is being deleted', { kind: 'share', before: undefined, after: sampleShare({ expired: true }) }],
      ['a device', { kind: 'device', before: undefined, after: sampleDevice() }],
    ])('is none for %s', (_, change) => {
      expect(state(change)).toBeUndefined();
    });
  });
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

/** The part of a resource whose changes are sent to followers. */
const followedPart = ({ kind, before, after }: Change): unknown[] =>
  [before, after].map((resource) => {
    if (!resource) return undefined;
    if (kind === 'job') return (resource as Job).status;
    if (kind === 'share') return (resource as Share).currentViewers;
    const { status, name, lastState: state } = resource as Device;
    return `${status} ${JSON.stringify(state)} ${name}`;
  });

describe('eventsBetween', () => {
  test('returns one message for a change that followers receive, and none for any other', () => {
    fc.assert(
      fc.property(change, (any) => {
        const [before, after] = followedPart(any);
        expect(eventsBetween(any, at)).toHaveLength(before === after ? 0 : 1);
      }),
    );
  });

  test('is a pure function: the same messages each time, input unchanged', () => {
    fc.assert(
      fc.property(change, (any) => {
        const copy = structuredClone(any);
        expect(eventsBetween(any, at)).toEqual(eventsBetween(any, at));
        expect(any).toEqual(copy);
      }),
    );
  });

  test('returns messages for the channel of the resource that match the schema', () => {
    fc.assert(
      fc.property(change, (any) => {
        for (const { message } of eventsBetween(any, at)) {
          const plain: unknown = JSON.parse(JSON.stringify(message));
          const [channel, ...others] = findChannels(message);
          if (!channel || others.length > 0) throw new Error('not one channel');
          expect(statusMessages[message.type].parse(plain)).toEqual(plain);
          const own = { job: id('job'), device: id('group'), share: id('share'), command: '' }[any.kind];
          expect(channel.id).toBe(own);
        }
      }),
    );
  });

  test('sets the sequence to the version, and one more for a deletion', () => {
    fc.assert(
      fc.property(change, (any) => {
        const { before, after } = any;
        for (const { message } of eventsBetween(any, at))
          expect(message.sequence).toBe(after ? after.version : (before?.version ?? NaN) + 1);
      }),
    );
  });

  test('ends the channel of a deleted job or share, but not the channel of a group', () => {
    fc.assert(
      fc.property(change, (any) => {
        for (const { role } of eventsBetween(any, at)) expect(role === 'end').toBe(!any.after && any.kind !== 'device');
      }),
    );
  });
});

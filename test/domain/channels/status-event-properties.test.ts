import { channelsOf } from '../../../contract/channels/status-channels';
import { statusMessages } from '../../../contract/channels/status-messages';
import type { Device } from '../../../domain/fleet/fleet';
import type { Job } from '../../../domain/jobs/job';
import { jobStatuses } from '../../../domain/jobs/job-lifecycle';
import type { Share } from '../../../domain/shares/share';
import { eventsBetween, type Change } from '../../../domain/channels/status-event';
import { id, sampleDevice, sampleJob, sampleShare } from '../fixtures/samples';
import { fc } from '../../property-runs';

const at = '2026-11-27T10:30:00.000Z';
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
    return `${status} ${state?.timestamp ?? ''} ${name}`;
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
          const [channel, ...others] = channelsOf(message);
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

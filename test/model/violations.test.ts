import { channelViolations, readMessages, timestampViolations, type Follower } from './channel-violations';
import {
  telemetryViolations,
  type Subscriber,
  type PublishedSample,
  altitudeAt,
  flightWindowOf,
  replyViolations,
  trackViolations,
  type PublishedList,
} from './telemetry-violations';

const tag = 'aaaaaaaa';
const unique = '0123456789abcdefghijklmnop';
const jobId = `job-${tag}-${unique}`;

const asReceived = (messages: readonly object[]) =>
  messages.map((message, at) => ({ at, message: message as Readonly<Record<string, unknown>> }));

const jobStatus = (sequence: number, previousState: string, jobState: string, more: object = {}) => ({
  type: 'job.status',
  jobId,
  sequence,
  previousState,
  jobState,
  timestamp: `t${sequence}`,
  ...more,
});
const snapshot = { type: 'job.status', jobId, sequence: 1, jobState: 'PENDING', snapshot: true, timestamp: 't1' };
const queued = jobStatus(2, 'PENDING', 'QUEUED');
const started = jobStatus(3, 'QUEUED', 'IN_PROGRESS');
/** Positions of a job in this state. */
const position = (sequence: number, jobState: string) => ({
  type: 'job.status',
  jobId,
  sequence,
  jobState,
  droneState: 'HOVER',
  timestamp: `p${sequence}`,
});
const deleted = { type: 'job.status', jobId, sequence: 4, jobState: 'IN_PROGRESS', deleted: true, timestamp: 't4' };

const faultsOf = (messages: readonly object[], more: Partial<Follower> = {}) =>
  channelViolations({ over: 'WSS', kind: 'job', id: jobId, tag, received: asReceived(messages), ...more });

/** A change of a command to the device that flies the job. */
const command = (sequence: number, status: string, more: object = {}) => ({
  type: 'command.status',
  commandId: `command-${tag}-${unique}`,
  jobId,
  sequence,
  status,
  timestamp: `c${sequence}`,
  ...more,
});

describe('channelViolations, for commands', () => {
  test('accepts them beside the job, from any status on, and the one that calls its drone home', () => {
    expect(faultsOf([command(2, 'DELIVERED'), snapshot, command(3, 'DONE'), queued, started])).toEqual([]);
    expect(faultsOf([snapshot, queued, started, deleted, command(1, 'REQUESTED'), command(1, 'REQUESTED')])).toEqual(
      [],
    );
  });

  test.each<[string, readonly object[], Partial<Follower>]>([
    ['an order that is impossible', [snapshot, command(2, 'DONE'), command(3, 'FAILED')], {}],
    ['a gap', [snapshot, command(1, 'REQUESTED'), command(3, 'DONE')], {}],
    ['one of another job', [snapshot, command(1, 'REQUESTED', { jobId: `job-${tag}-another` })], {}],
    ['one to who follows a share', [command(1, 'REQUESTED', { shareCode: 'code' })], { kind: 'share', id: 'code' }],
  ])('rejects %s', (_, messages, more) => {
    expect(faultsOf(messages, more)).not.toEqual([]);
  });
});

describe('channelViolations, for a job', () => {
  test('accepts the state, every transition, repeats, and a final message before the close', () => {
    const closed = { at: 9, code: 1000 };
    expect(faultsOf([snapshot, queued, queued, started, deleted], { closed })).toEqual([]);
    expect(faultsOf([queued, started], { over: 'MQTTS' })).toEqual([]);
    expect(faultsOf([snapshot, queued, started, position(3, 'IN_PROGRESS'), deleted])).toEqual([]);
    expect(faultsOf([snapshot, queued, position(3, 'IN_PROGRESS'), started])).toEqual([]);
    const again = { ...snapshot, sequence: 2, jobState: 'QUEUED' };
    expect(faultsOf([snapshot, queued, again, started], { over: 'MQTTS' })).toEqual([]);
  });

  test.each<[string, readonly object[], Partial<Follower>]>([
    ['no snapshot first', [queued], {}],
    ['messages out of order', [snapshot, started, queued], {}],
    ['a gap', [snapshot, started], {}],
    ['a position of a state that never comes', [snapshot, queued, position(3, 'IN_PROGRESS')], {}],
    ['a position of another state than the next', [snapshot, position(3, 'IN_PROGRESS'), queued, started], {}],
    ['a position after the final message', [snapshot, queued, started, deleted, position(4, 'IN_PROGRESS')], {}],
    ['an invalid transition', [snapshot, jobStatus(2, 'PENDING', 'COMPLETED')], {}],
    ['a message after the final one', [snapshot, queued, started, deleted, jobStatus(5, 'IN_PROGRESS', 'FAILED')], {}],
    ['a second snapshot', [snapshot, queued, { ...snapshot, sequence: 2, jobState: 'QUEUED' }], {}],
    [
      'a second snapshot of an unknown state',
      [snapshot, { ...snapshot, sequence: 2, jobState: 'QUEUED' }],
      { over: 'MQTTS' },
    ],
    ['a message of another job', [{ ...snapshot, jobId: `job-${tag}-${unique.toUpperCase()}` }], {}],
    ["another organisation's device", [{ ...snapshot, deviceId: `device-bbbbbbbb-${unique}` }], {}],
    ['a close without a final message', [snapshot], { closed: { at: 9, code: 1006 } }],
    [
      'a position of an earlier state',
      [
        snapshot,
        queued,
        started,
        jobStatus(4, 'IN_PROGRESS', 'FAILED'),
        jobStatus(3, 'QUEUED', 'IN_PROGRESS', { droneState: 'HOVER', timestamp: 'later' }),
      ],
      {},
    ],
  ])('rejects %s', (_, messages, more) => {
    expect(faultsOf(messages, more)).not.toEqual([]);
  });
});

describe('readMessages', () => {
  const violationsOf = (kind: Follower['kind'], over: Follower['over'], message: object) => {
    const received = [snapshot, queued, message].flatMap((one) => readMessages(over, JSON.stringify(one)));
    return { count: received.length, violations: channelViolations({ over, kind, id: jobId, tag, received }) };
  };
  const heartbeat = { type: 'heartbeat' };

  test('leaves out a heartbeat, which comes on every WebSocket that is open for long enough', () => {
    expect(violationsOf('job', 'WSS', heartbeat)).toEqual({ count: 2, violations: [] });
  });

  test.each<[string, Follower['over'], object]>([
    ['a heartbeat over MQTTS', 'MQTTS', heartbeat],
    ['a heartbeat with anything else in it', 'WSS', { ...heartbeat, jobId }],
    ['a message of no channel', 'WSS', { type: 'expiring' }],
  ])('keeps %s, and channelViolations rejects it', (_, over, message) => {
    const { count, violations } = violationsOf('job', over, message);
    expect(count).toBe(3);
    expect(violations).not.toEqual([]);
  });
});

test('channelViolations, for a share, rejects more viewers than maxViewers and messages after REVOKED', () => {
  const shareCode = `share-${tag}-${unique}`;
  const message = {
    type: 'share.status',
    shareCode,
    sequence: 1,
    shareState: 'ACTIVE',
    maxViewers: 2,
    currentViewers: 2,
  };
  const of = (...messages: readonly object[]) =>
    channelViolations({ over: 'MQTTS', kind: 'share', id: shareCode, tag, received: asReceived(messages) });
  const revoked = { ...message, sequence: 2, shareState: 'REVOKED' };
  expect(of(message, revoked)).toEqual([]);
  expect(of(message, revoked, { ...revoked, timestamp: 'later' })).toEqual([]);
  expect(of({ ...message, currentViewers: 3 })).toHaveLength(1);
  expect(of(message, revoked, { ...message, sequence: 3 })).not.toEqual([]);
});

describe('telemetryViolations', () => {
  const deviceId = `device-${tag}-${unique}`;
  const sampleOf = (timestamp: number, as: PublishedSample['as'] = 'in order'): PublishedSample => ({
    deviceId,
    timestamp,
    start: timestamp,
    end: timestamp + 0.5,
    as,
  });
  const samples = [1, 2, 3, 4].map((timestamp) => sampleOf(timestamp));
  const lateSamples = [-1, -2].map((timestamp) => sampleOf(timestamp, 'late'));
  const batchOf = (...all: readonly object[]) => ({ type: 'device.telemetry.batch', samples: all });
  const message = (timestamp: number, more: object = {}) => ({
    type: 'device.telemetry',
    deviceId,
    timestamp: new Date(timestamp).toISOString(),
    receivedAt: new Date(timestamp + 60_000).toISOString(),
    ...more,
  });
  const violations = (
    messages: readonly object[],
    more: Partial<Subscriber> = {},
    others: readonly PublishedSample[] = [],
  ) => {
    const common = {
      role: 'partner' as const,
      batch: false,
      tag,
      deviceIds: [deviceId],
      from: 0,
      leavesAt: Infinity,
      leftAt: Infinity,
    };
    return telemetryViolations({ ...common, received: asReceived(messages), ...more }, [
      ...samples,
      ...lateSamples,
      ...others,
    ]);
  };

  test('accepts the last known state and all later samples, until the end', () => {
    expect(violations([message(2, { snapshot: true }), message(3), message(4)])).toEqual([]);
    expect(violations([message(1), message(2)], { leavesAt: 2.6, leftAt: 3 })).toEqual([]);
  });

  test('accepts samples in batches, and a late one before any later one', () => {
    const batched = [message(1), batchOf(message(2), message(3)), message(4)];
    expect(violations(batched, { batch: true })).toEqual([]);
    expect(violations([message(-1), message(1), message(2), message(3), message(4)])).toEqual([]);
  });

  describe('of a viewer', () => {
    const status = (sequence: number, shareState = 'ACTIVE') => ({ type: 'share.status', sequence, shareState });
    const viewer = { role: 'viewer', leavesAt: 2.6, leftAt: 3 } as const;
    const [first, counted, end] = [status(1), status(2), status(3, 'REVOKED')];

    test('accepts its share up to the end, which may come twice', () => {
      expect(violations([first, message(1), counted, message(2), end, end], { ...viewer, isEnded: true })).toEqual([]);
      expect(violations([first, message(1), counted], viewer)).toEqual([]);
    });

    test.each<[string, object[], string[]]>([
      [
        'a state that came back',
        [first, message(1), end, counted],
        ['sequence 2 after 3', 'share.status after the final message'],
      ],
      ['a state before an earlier one', [counted, message(1), first, end], ['sequence 1 after 2']],
      ['a sample after the end', [first, message(1), end, message(2)], ['device.telemetry after the final message']],
      ['no end', [first, message(1)], ['closed without a final message']],
    ])('finds %s', (_, messages, found) => {
      expect(violations(messages, { ...viewer, isEnded: true })).toEqual(found);
    });
  });

  test('accepts what an instance that had not seen a device took as new: late samples, and repeated ones', () => {
    const soon = { receivedAt: new Date(100).toISOString() };
    const all = [message(1), message(2), message(3), message(4)];
    expect(violations([...all, message(-1, soon)])).toEqual([]);
    expect(violations([...all, message(2, soon)])).toHaveLength(1);
    expect(violations([...all, message(5), message(5, soon)], {}, [{ ...sampleOf(5), isRepeated: true }])).toEqual([]);
    expect(violations([...all, message(5), message(5)], {}, [{ ...sampleOf(5), isRepeated: true }])).toHaveLength(1);
  });

  test('accepts missing samples at the end only, for a subscriber that left', () => {
    const left = { leavesAt: 4.6, leftAt: 5 };
    expect(violations([], left)).toEqual([]);
    expect(violations([message(1), message(2)], left)).toEqual([]);
    expect(violations([message(1), message(3)], left)).toHaveLength(1);
    expect(violations([message(1), message(2), message(3)])).toHaveLength(1);
  });

  test.each<[string, readonly object[], Partial<Subscriber>]>([
    ['samples out of order', [message(2), message(1), message(3), message(4)], {}],
    ['a sample twice', [message(1), message(2), message(2), message(3), message(4)], {}],
    ['a gap', [message(1), message(2), message(4)], {}],
    ['a late sample after a later one', [message(1), message(2), message(3), message(4), message(-1)], {}],
    [
      'a late sample in a batch',
      [message(1), batchOf(message(2), message(-1), message(3), message(4))],
      { batch: true },
    ],
    ['a batch that was not asked for', [message(1), batchOf(message(2), message(3), message(4))], {}],
    ['a batch out of order', [message(1), batchOf(message(3), message(2), message(4))], { batch: true }],
    ['a gap in a batch', [message(1), batchOf(message(2), message(4))], { batch: true }],
    ['a batch of one', [message(1), message(2), message(3), batchOf(message(4))], { batch: true }],
    [
      'a batch of more than 32 kB',
      [message(1), message(2), batchOf(message(3), message(4, { sensorPayload: 'x'.repeat(33_000) }))],
      { batch: true },
    ],
    ['a snapshot in a batch', [batchOf(message(2, { snapshot: true }), message(3), message(4))], { batch: true }],
    [
      'something else in a batch',
      [message(1), message(2), batchOf(message(3), message(4), { type: 'share.status' })],
      { batch: true },
    ],
    ['a sample after the share was revoked', [message(1), message(2), message(3)], { leavesAt: 2.6, leftAt: 2.9 }],
    ['an unpublished sample', [message(1), message(2), message(3), message(4), message(7)], {}],
    ['a device that was not subscribed', [message(1), message(2), message(3), message(4)], { deviceIds: [] }],
    ['the job id, for a viewer', [message(1), message(2), message(3), message(4, { jobId })], { role: 'viewer' }],
    [
      'an unexpected close',
      [message(1), message(2), message(3), message(4)],
      { closed: { code: 1006, explained: false } },
    ],
  ])('rejects %s', (_, messages, more) => {
    expect(violations(messages, more)).not.toEqual([]);
  });
});

const at = (timestamp: number, deviceId = 'device-1') => ({ deviceId, timestamp });

describe('replyViolations', () => {
  const list = { jobId, news: [at(1000), at(2000)], late: [at(500)], sentAt: 60_000, accepted: 3, recorded: 3 };

  test('accepts all new ones, and late ones that are new in the record', () => {
    expect(replyViolations(list)).toEqual([]);
    expect(replyViolations({ ...list, accepted: 2, recorded: 0 })).toEqual([]);
    expect(replyViolations({ ...list, jobId: undefined, mayFly: true })).toEqual([]);
    expect(replyViolations({ ...list, news: [], accepted: 1, recorded: 1 })).toEqual([]);
    expect(replyViolations({ ...list, news: [], sentAt: 600, accepted: 1, recorded: 0 })).toEqual([]);
  });

  test.each<[string, Partial<PublishedList>]>([
    ['more recorded than seconds', { news: [at(600), at(700)] }],
    ['anything recorded without a job', { jobId: undefined }],
    ['more recorded than accepted', { accepted: 2 }],
    ['a new one that is not accepted', { accepted: 1, recorded: 1 }],
    [
      'a late one that is accepted but not recorded',
      { jobId: undefined, mayFly: true, news: [], accepted: 1, recorded: 0 },
    ],
    ['more accepted than sent', { accepted: 4 }],
  ])('rejects %s', (_, more) => {
    expect(replyViolations({ ...list, ...more })).not.toEqual([]);
  });
});

describe('trackViolations', () => {
  const flight = { startedFrom: 900, startedBy: 1100, endedFrom: 6000, endedBy: 6100 };
  const lists = [
    { jobId, news: [at(2500), at(3500)], late: [], sentAt: 3500, accepted: 2, recorded: 2 },
    { jobId, news: [], late: [at(3200), at(2700)], sentAt: 3600, accepted: 1, recorded: 1 },
  ];
  const positions = (...all: readonly number[]) =>
    all.map((timestamp) => ({ ...at(timestamp), altitude: altitudeAt(timestamp) }));

  test('accepts the earliest position of each second', () => {
    expect(trackViolations(flight, lists, positions(2500, 3200))).toEqual([]);
  });

  test('accepts positions of samples that name no job, and may belong to it', () => {
    const unnamed = [
      { jobId: undefined, mayFly: true, news: [at(4500)], late: [], sentAt: 4500, accepted: 1, recorded: 1 },
    ];
    expect(trackViolations(flight, lists, positions(2500, 3200, 4500), unnamed)).toEqual([]);
    expect(trackViolations(flight, lists, positions(2500, 3200), unnamed)).toEqual([]);
  });

  test('accepts what nobody can know of the beginning and the end', () => {
    expect(trackViolations({ ...flight, startedBy: 2400, endedFrom: 3000 }, lists, [])).toEqual([]);
    expect(trackViolations({ ...flight, startedBy: Infinity }, lists, positions(2500, 3500))).toEqual([]);
  });

  test.each<[string, Parameters<typeof trackViolations>]>([
    ['no position of', [flight, lists, positions(2500)]],
    ['a later position than', [flight, lists, positions(2500, 3500)]],
    ['two positions of', [flight, lists, positions(2500, 3200, 3500)]],
    ['an unpublished position', [flight, lists, positions(2500, 3200, 4000)]],
    ['an unpublished position', [flight, lists, [...positions(2500), { ...at(3200, 'device-2'), altitude: 400 }]]],
    ['another position', [flight, lists, [...positions(2500), { ...at(3200), altitude: 1 }]]],
    ['not in the flight', [{ ...flight, startedFrom: 2600 + 60_000 }, lists, positions(2500, 3200)]],
    ['not in the flight', [{ ...flight, endedBy: 3000 - 60_000 }, lists, positions(2500, 3200)]],
    ['but only 0 recorded', [flight, lists.map((list) => ({ ...list, recorded: 0 })), positions(2500, 3200)]],
  ])('finds "%s"', (violation, input) => {
    expect(trackViolations(...input)).toContainEqual(expect.stringContaining(violation));
  });

  test('knows a flight by what was tried and seen', () => {
    const attempts = [
      { status: 'QUEUED', at: 1 },
      { status: 'IN_PROGRESS', at: 2 },
      { status: 'FAILED', at: 5 },
    ];
    const seen = [
      { status: 'IN_PROGRESS', by: 3 },
      { status: 'COMPLETED', by: 7 },
    ];
    expect(flightWindowOf({ attempts, seen })).toEqual({ startedFrom: 2, startedBy: 3, endedFrom: 5, endedBy: 7 });
    const never = { startedFrom: Infinity, startedBy: Infinity, endedFrom: Infinity, endedBy: Infinity };
    expect(flightWindowOf({ attempts: [], seen: [{ status: 'PENDING', by: 1 }] })).toEqual(never);
  });
});

describe('timestampViolations', () => {
  const follower = (over: Follower['over'], ...messages: readonly object[]): Follower => ({
    over,
    kind: 'job',
    id: jobId,
    tag,
    received: asReceived(messages),
  });

  test('accepts one time for each change, and positions and snapshots of their own', () => {
    const followers = [
      follower('WSS', snapshot, queued, position(2, 'QUEUED'), started),
      follower(
        'MQTTS',
        { ...snapshot, timestamp: 't7' },
        queued,
        { ...position(2, 'QUEUED'), timestamp: 'p7' },
        started,
      ),
    ];
    expect(timestampViolations(followers)).toEqual([]);
  });

  test('rejects two times of one change', () => {
    const followers = [follower('WSS', queued), follower('MQTTS', { ...queued, timestamp: 't7' })];
    expect(timestampViolations(followers)).toEqual(['job.status with sequence 2 at t2 and t7']);
  });
});

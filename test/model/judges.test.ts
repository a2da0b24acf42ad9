import { channelFaults, type Follower } from './channel-judge';
import { telemetryFaults, type Listener, type Published } from './telemetry-judge';

const tag = 'aaaaaaaa';
const unique = '0123456789abcdefghijklmnop';
const jobId = `job-${tag}-${unique}`;

const heard = (messages: readonly object[]) =>
  messages.map((message, at) => ({ at, message: message as Readonly<Record<string, unknown>> }));

const told = (sequence: number, previousState: string, jobState: string, more: object = {}) => ({
  ...{ type: 'job.status', jobId, sequence, previousState, jobState, timestamp: `t${sequence}` },
  ...more,
});
const snapshot = { type: 'job.status', jobId, sequence: 1, jobState: 'PENDING', snapshot: true, timestamp: 't1' };
const queued = told(2, 'PENDING', 'QUEUED');
const started = told(3, 'QUEUED', 'IN_PROGRESS');
const deleted = { type: 'job.status', jobId, sequence: 4, jobState: 'IN_PROGRESS', deleted: true, timestamp: 't4' };

const faultsOf = (messages: readonly object[], more: Partial<Follower> = {}) =>
  channelFaults({ over: 'WSS', kind: 'job', id: jobId, tag, heard: heard(messages), ...more });

describe('Who follows a job', () => {
  test('may hear the state, every move, repeats, and a last word before the end.', () => {
    const closed = { at: 9, code: 1000 };
    expect(faultsOf([snapshot, queued, queued, started, deleted], { closed })).toEqual([]);
    expect(faultsOf([queued, started], { over: 'MQTTS' })).toEqual([]);
  });

  test.each<[string, readonly object[], Partial<Follower>]>([
    ['no state first', [queued], {}],
    ['messages in another order', [snapshot, started, queued], {}],
    ['a gap', [snapshot, started], {}],
    ['a move that there is not', [snapshot, told(2, 'PENDING', 'COMPLETED')], {}],
    ['anything after the last word', [snapshot, queued, started, deleted, told(5, 'IN_PROGRESS', 'FAILED')], {}],
    ['a second snapshot', [snapshot, queued, { ...snapshot, sequence: 2, jobState: 'QUEUED' }], {}],
    ['of another job', [{ ...snapshot, jobId: `job-${tag}-${unique.toUpperCase()}` }], {}],
    ["of another organisation's device", [{ ...snapshot, deviceId: `device-bbbbbbbb-${unique}` }], {}],
    ['the end of the connection without a word', [snapshot], { closed: { at: 9, code: 1006 } }],
    [
      'a position of a state that is over',
      [
        snapshot,
        queued,
        started,
        told(4, 'IN_PROGRESS', 'FAILED'),
        told(3, 'QUEUED', 'IN_PROGRESS', { droneState: 'HOVER', timestamp: 'later' }),
      ],
      {},
    ],
  ])('may not hear %s.', (_, messages, more) => {
    expect(faultsOf(messages, more)).not.toEqual([]);
  });
});

test('Who follows a share may not hear of more viewers than it has places for, nor anything after REVOKED.', () => {
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
    channelFaults({ over: 'MQTTS', kind: 'share', id: shareCode, tag, heard: heard(messages) });
  const revoked = { ...message, sequence: 2, shareState: 'REVOKED' };
  expect(of(message, revoked)).toEqual([]);
  expect(of(message, revoked, { ...revoked, timestamp: 'later' })).toEqual([]);
  expect(of({ ...message, currentViewers: 3 })).toHaveLength(1);
  expect(of(message, revoked, { ...message, sequence: 3 })).not.toEqual([]);
});

describe('Who hears samples', () => {
  const deviceId = `device-${tag}-${unique}`;
  const sampleOf = (timestamp: number, as: Published['as'] = 'in order'): Published => ({
    ...{ deviceId, timestamp, start: timestamp, end: timestamp + 0.5, as },
  });
  const samples = [1, 2, 3, 4].map((timestamp) => sampleOf(timestamp));
  const message = (timestamp: number, more: object = {}) => ({
    ...{ type: 'device.telemetry', deviceId, timestamp: new Date(timestamp).toISOString() },
    ...more,
  });
  const faults = (messages: readonly object[], more: Partial<Listener> = {}) => {
    const common = { who: 'partner' as const, tag, deviceIds: [deviceId], from: 0, until: Infinity, over: Infinity };
    return telemetryFaults({ ...common, heard: heard(messages), ...more }, samples);
  };

  test('may hear the last known state and all that is later, until it is over.', () => {
    expect(faults([message(2, { snapshot: true }), message(3), message(4)])).toEqual([]);
    expect(faults([message(1), message(2)], { until: 2.6, over: 3 })).toEqual([]);
  });

  test('may have left before it was told what came last, but nothing in between is left out.', () => {
    const left = { until: 4.6, over: 5 };
    expect(faults([], left)).toEqual([]);
    expect(faults([message(1), message(2)], left)).toEqual([]);
    expect(faults([message(1), message(3)], left)).toHaveLength(1);
    expect(faults([message(1), message(2), message(3)])).toHaveLength(1);
  });

  test.each<[string, readonly object[], Partial<Listener>]>([
    ['samples in another order', [message(2), message(1), message(3), message(4)], {}],
    ['a sample twice', [message(1), message(2), message(2), message(3), message(4)], {}],
    ['a gap', [message(1), message(2), message(4)], {}],
    ['a sample after the share was revoked', [message(1), message(2), message(3)], { until: 2.6, over: 2.9 }],
    ['a sample that nobody published', [message(1), message(2), message(3), message(4), message(7)], {}],
    ['a device that was not asked for', [message(1), message(2), message(3), message(4)], { deviceIds: [] }],
    ['as a viewer of the job', [message(1), message(2), message(3), message(4, { jobId })], { who: 'viewer' }],
    [
      'the end of the connection for no reason',
      [message(1), message(2), message(3), message(4)],
      { closed: { code: 1006, explained: false } },
    ],
  ])('may not hear %s.', (_, messages, more) => {
    expect(faults(messages, more)).not.toEqual([]);
  });
});

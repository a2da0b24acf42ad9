import { DroneMissionClient, type Gap, type JobStatusMessage, type StatusFollowOptions } from '../src/index.ts';
import { FakeService, until, withoutWaits, type FollowerSocket } from './fake-service.ts';

withoutWaits();
let service: FakeService;
beforeEach(async () => {
  service = await new FakeService().start();
});
const followers: AbortController[] = [];
afterEach(async () => {
  for (const follower of followers.splice(0)) follower.abort();
  await service.stop();
});

const cursor = (number: number) => `event-7k2m9qx4-${String(number).padStart(10, '0')}`;
const change = (sequence: number, jobState: string, more: object = {}) => ({
  type: 'job.status',
  jobId: 'job-1',
  deviceGroupId: 'group-1',
  sequence,
  jobState,
  cursor: cursor(sequence * 10),
  timestamp: '2026-11-22T10:00:00.000Z',
  ...more,
});
const replayed = { replayed: true };
const resumed = { type: 'resumed', cursor: cursor(0) };
const send = (follower: FollowerSocket, ...messages: object[]) => {
  for (const message of messages) follower.socket.send(JSON.stringify(message));
};
/** Sends each new connection what its place in the order says; those after the last the same as it. */
const welcomeWith = (...connections: readonly (readonly object[])[]) => {
  service.welcome = (follower) =>
    send(follower, ...(connections[Math.min(service.sockets.length, connections.length) - 1] ?? []));
};
const afterOf = ({ path }: FollowerSocket) => new URL(path, 'http://service').searchParams.get('after');

function following(options: StatusFollowOptions = {}, more: object = {}) {
  const client = new DroneMissionClient({ ...service.options, ...more });
  const told: JobStatusMessage[] = [];
  const gaps: Gap[] = [];
  const stop = new AbortController();
  followers.push(stop);
  const all = { signal: stop.signal, onGap: (gap: Gap) => gaps.push(gap), ...options };
  const ended = (async () => {
    for await (const message of client.jobs.follow('job-1', all)) told.push(message);
  })();
  ended.catch(() => undefined);
  return { told, gaps, ended, states: () => told.map(({ jobState }) => jobState) };
}

describe('a channel whose connection was lost', () => {
  test('keeps the cursor of the last change while positions arrive', async () => {
    const { cursor: _cursor, ...position } = change(1, 'PENDING', { navigation: {} });
    welcomeWith([change(1, 'PENDING', { snapshot: true }), position], [resumed, change(2, 'CANCELLED')]);
    const { told, ended } = following();
    await until(() => told.length === 2);
    service.cut();
    await ended;
    expect(afterOf(service.last)).toBe(cursor(10));
  });

  test('that is of a group is resumed only after the last message of its snapshot, which has the cursor', async () => {
    const device = (deviceId: string, more: object) => ({
      type: 'device.status',
      deviceId,
      deviceGroupId: 'group-1',
      status: 'online',
      sequence: 1,
      timestamp: '2026-11-22T10:00:00.000Z',
      ...more,
    });
    const first = device('device-1', { snapshot: true });
    const second = device('device-2', { snapshot: true, cursor: cursor(10) });
    welcomeWith([first], [first, second], [device('device-1', { sequence: 2, cursor: cursor(20) }), resumed]);
    const told: unknown[] = [];
    const stop = new AbortController();
    followers.push(stop);
    const group = new DroneMissionClient(service.options).deviceGroups.follow('group-1', { signal: stop.signal });
    const ended = (async () => {
      for await (const { deviceId, sequence } of group) told.push([deviceId, sequence]);
    })();
    ended.catch(() => undefined);
    await until(() => told.length === 1);
    service.cut();
    await until(() => told.length === 2);
    service.cut();
    await until(() => told.length === 3);
    expect(service.sockets.map(afterOf)).toEqual([null, null, cursor(10)]);
    expect(told).toEqual([
      ['device-1', 1],
      ['device-2', 1],
      ['device-1', 2],
    ]);
  });
});

describe('a connection whose token is about to end', () => {
  /** What of its hour a token is used for, and a moment more. */
  const DUE_MS = 54 * 60_000 + 5;
  // Time passes only when a test says so: a token must not end while the service is asked for another one.
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setInterval', 'performance'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  /** Follows the job, with no ping within that time, since none would be answered. */
  const followingWithoutPings = () => following({}, { pingAfterMs: 10 * DUE_MS });

  test('goes on with a new token, and with another one', async () => {
    service.renewal = { type: 'authenticated', expiresAt: '2026-11-22T10:00:00.000Z' };
    welcomeWith([change(1, 'PENDING', { snapshot: true })]);
    const { told, ended, states } = followingWithoutPings();
    await until(() => told.length === 1);
    await jest.advanceTimersByTimeAsync(DUE_MS);
    await until(() => service.sockets[0]?.received.length === 1);
    // Comes after the answer to the token.
    send(service.last, change(2, 'QUEUED'));
    await until(() => told.length === 2);
    await jest.advanceTimersByTimeAsync(DUE_MS);
    await until(() => service.sockets[0]?.received.length === 2);
    send(service.last, { type: 'expiring', expiresAt: '2026-11-22T10:00:00.000Z', reason: 'token' });
    send(service.last, change(3, 'CANCELLED'));
    await ended;
    expect(service.sockets).toHaveLength(1);
    expect(service.last.received).toMatchObject([
      { action: 'authenticate', token: 'token-2' },
      { action: 'authenticate', token: 'token-3' },
    ]);
    expect(states()).toEqual(['PENDING', 'QUEUED', 'CANCELLED']);
  });

  test.each([
    ['does not know how to', { type: 'error', code: 'unknown_action', error: 'unknown_action' }],
    ['refuses the token', { type: 'error', code: 'forbidden', error: 'Forbidden' }],
    ['ends its subscriptions', { type: 'authenticated', subscriptionsEnded: true }],
  ])('is replaced when the service %s', async (_, answer) => {
    service.renewal = answer;
    welcomeWith([change(1, 'PENDING', { snapshot: true })], [resumed]);
    const { told } = followingWithoutPings();
    await until(() => told.length === 1);
    await jest.advanceTimersByTimeAsync(DUE_MS);
    await until(() => service.sockets.length === 2);
    expect(service.sockets[0]?.received).toMatchObject([{ action: 'authenticate', token: 'token-2' }]);
    expect(service.sockets.map(({ token }) => token)).toEqual(['token-1', 'token-2']);
    expect(afterOf(service.last)).toBe(cursor(10));
    // What confirms the new connection is `resumed`: nothing else has been sent.
    await until(() => service.sockets[0]?.socket.readyState === 3);
  });
});

describe("a group's channel", () => {
  const device = (deviceId: string, sequence: number, number: number, more: object = {}) => ({
    type: 'device.status',
    deviceId,
    deviceGroupId: 'group-1',
    name: 'North',
    status: 'online',
    sequence,
    cursor: cursor(number),
    timestamp: '2026-11-22T10:00:00.000Z',
    ...more,
  });

  test('brings changes of several devices in the order of their arrival, and what is replayed before the cursor once', async () => {
    const late = device('device-1', 5, 10);
    welcomeWith(
      [device('device-1', 4, 9), device('device-2', 7, 11), late],
      [device('device-2', 7, 11, replayed), device('device-3', 2, 8, replayed), resumed],
    );
    const stop = new AbortController();
    followers.push(stop);
    const told: [string, number][] = [];
    const ended = (async () => {
      const client = new DroneMissionClient(service.options);
      for await (const { deviceId, sequence } of client.deviceGroups.follow('group-1', { signal: stop.signal }))
        told.push([deviceId, sequence]);
    })();
    ended.catch(() => undefined);
    await until(() => told.length === 3);
    service.cut();
    await until(() => told.length === 4);
    expect(afterOf(service.last)).toBe(cursor(11));
    expect(told).toEqual([
      ['device-1', 4],
      ['device-2', 7],
      ['device-1', 5],
      ['device-3', 2],
    ]);
  });
});

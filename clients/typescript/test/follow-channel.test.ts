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

const status = (sequence: number, jobState: string, more: object = {}) => ({
  type: 'job.status',
  jobId: 'job-1',
  deviceGroupId: 'group-1',
  sequence,
  jobState,
  timestamp: `2026-11-22T10:00:0${sequence}.000Z`,
  ...more,
});
const position = (sequence: number, second: number) => ({
  ...status(sequence, 'IN_PROGRESS'),
  navigation: { velocity: { groundSpeed: second } },
  timestamp: `2026-11-22T10:01:${String(second).padStart(2, '0')}.000Z`,
});
const send = (message: object, follower = service.last) => follower.socket.send(JSON.stringify(message));
const snapshot = (sequence: number, jobState: string) =>
  (service.welcome = (follower) => send(status(sequence, jobState, { snapshot: true }), follower));

/** Follows the job in the background. */
function following(options: Parameters<DroneMissionClient['jobs']['follow']>[1] = {}, more: object = {}) {
  const client = new DroneMissionClient({ ...service.options, ...more });
  const told: JobStatusMessage[] = [];
  const stop = new AbortController();
  followers.push(stop);
  const ended = (async () => {
    for await (const message of client.jobs.follow('job-1', { signal: stop.signal, ...options })) told.push(message);
  })();
  ended.catch(() => undefined);
  const states = () => told.map(({ sequence, jobState }) => `${sequence} ${jobState}`);
  return { told, ended, states };
}

describe('following a job', () => {
  test('brings the snapshot and each change, and ends with the final state', async () => {
    snapshot(1, 'PENDING');
    const { ended, states } = following();
    await until(() => states().length === 1);
    expect(service.last).toMatchObject({ path: '/v3/jobs/job-1/status/ws', token: 'token-1' });
    send(status(2, 'QUEUED', { previousState: 'PENDING' }));
    send({ type: 'heartbeat' });
    send(status(3, 'CANCELLED', { previousState: 'QUEUED' }));
    await ended;
    expect(states()).toEqual(['1 PENDING', '2 QUEUED', '3 CANCELLED']);
    await until(() => service.last.socket.readyState === service.last.socket.CLOSED);
  });

  test('ends when the job is deleted', async () => {
    snapshot(4, 'QUEUED');
    const { told, ended } = following();
    await until(() => told.length === 1);
    send(status(5, 'QUEUED', { deleted: true }));
    await ended;
    expect(told.at(-1)).toMatchObject({ sequence: 5, deleted: true });
  });

  test('tells repeats and stale messages of a connection once', async () => {
    snapshot(1, 'PENDING');
    const { told, ended } = following();
    await until(() => told.length === 1);
    const messages = [status(2, 'QUEUED'), status(3, 'IN_PROGRESS'), position(3, 1), position(3, 2)];
    for (const message of [...messages, ...messages, position(3, 3), status(2, 'QUEUED'), status(4, 'COMPLETED')])
      send(message);
    await ended;
    expect(told.map(({ sequence, navigation }) => [sequence, navigation?.velocity?.groundSpeed])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, undefined],
      [3, 1],
      [3, 2],
      [3, 3],
      [4, undefined],
    ]);
  });

  test('tells a change also when a position of the state after it came first, and sees when that change is missing', async () => {
    snapshot(2, 'QUEUED');
    const gaps: Gap[] = [];
    const { told, ended, states } = following({ onGap: (gap) => gaps.push(gap) });
    await until(() => told.length === 1);
    for (const message of [position(3, 1), position(3, 1), status(3, 'IN_PROGRESS', { previousState: 'QUEUED' })])
      send(message);
    await until(() => told.length === 3);
    expect(gaps).toEqual([]);
    send(position(5, 2));
    send(status(6, 'COMPLETED', { previousState: 'ON_HOLD' }));
    await ended;
    expect(states()).toEqual(['2 QUEUED', '3 IN_PROGRESS', '3 IN_PROGRESS', '5 IN_PROGRESS', '6 COMPLETED']);
    expect(gaps).toEqual([{ subject: 'job.status', from: 3, to: 6 }]);
  });

  test('reconnects after a cut, and tells only what the snapshot has new', async () => {
    snapshot(2, 'QUEUED');
    const gaps: Gap[] = [];
    const reconnected = jest.fn();
    const { told, ended, states } = following({ onGap: (gap) => gaps.push(gap), onReconnect: reconnected });
    await until(() => told.length === 1);
    service.cut();
    await until(() => service.sockets.length === 2);
    snapshot(4, 'IN_PROGRESS');
    service.cut();
    await until(() => told.length === 2);
    send(status(5, 'COMPLETED', { previousState: 'IN_PROGRESS' }));
    await ended;
    expect(states()).toEqual(['2 QUEUED', '4 IN_PROGRESS', '5 COMPLETED']);
    expect(gaps).toEqual([{ subject: 'job.status', from: 2, to: 4 }]);
    expect(reconnected).toHaveBeenCalledTimes(2);
  });

  test('replaces a connection before its token ends, without a moment between the two', async () => {
    service.tokenLifetimesS = [0.5];
    snapshot(1, 'PENDING');
    const { told, states } = following();
    await until(() => service.sockets.length === 2);
    const [first, second] = service.sockets;
    expect(second?.token).toBe('token-2');
    await until(() => first?.socket.readyState === 3);
    expect(second?.socket.readyState).toBe(1);
    send(status(2, 'QUEUED'));
    await until(() => told.length === 2);
    expect(states()).toEqual(['1 PENDING', '2 QUEUED']);
  });

  test('takes changes from the old connection until the new one has brought its snapshot', async () => {
    service.tokenLifetimesS = [0.5];
    service.welcome = (follower) => {
      if (service.sockets.length === 1) send(status(1, 'PENDING', { snapshot: true }), follower);
    };
    const { told, states } = following();
    await until(() => told.length === 1);
    await until(() => service.sockets.length === 2);
    const [first, second] = service.sockets;
    if (!first || !second) throw new Error('two sockets are open');
    send(status(2, 'QUEUED'), first);
    await until(() => told.length === 2);
    send(status(2, 'QUEUED', { snapshot: true }), second);
    send(status(3, 'IN_PROGRESS'), second);
    await until(() => told.length === 3);
    expect(states()).toEqual(['1 PENDING', '2 QUEUED', '3 IN_PROGRESS']);
  });

  test('keeps a silent socket that answers pings', async () => {
    snapshot(1, 'PENDING');
    // A pong may take as long.
    const { told } = following({}, { pingAfterMs: 1000 });
    await until(() => (service.sockets[0]?.received.length ?? 0) >= 3);
    expect(service.sockets).toHaveLength(1);
    expect(told).toHaveLength(1);
  });

  test('waits and tries again after 429, however often, once it has been connected', async () => {
    snapshot(1, 'PENDING');
    const { told } = following({}, { maxRetries: 0 });
    await until(() => told.length === 1);
    let refusals = 0;
    service.refuse = () => (refusals++ < 3 ? { status: 429, headers: { 'retry-after': '0' }, body: {} } : undefined);
    snapshot(2, 'QUEUED');
    service.cut();
    await until(() => told.length === 2);
    expect(refusals).toBe(4);
  });

  test.each([
    [
      404,
      'Job not found',
      'Following a job was refused with 404: Job not found. It does not exist (any more), or the identifier is wrong',
    ],
    [
      403,
      'Forbidden',
      'Following a job was refused with 403: Forbidden. The client lacks the scope, or the resource belongs to another organisation',
    ],
  ])('throws after a handshake that is refused with %d', async (refused, error, message) => {
    service.refuse = () => ({ status: refused, body: { error } });
    await expect(following().ended).rejects.toThrow(message);
    expect(service.handshakes).toBe(1);
  });

  test('throws the reason of its signal', async () => {
    snapshot(1, 'PENDING');
    const stop = new AbortController();
    const { told, ended } = following({ signal: stop.signal });
    await until(() => told.length === 1);
    stop.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
    await until(() => service.last.socket.readyState === 3);
  });

  test('closes its socket at a break', async () => {
    snapshot(1, 'PENDING');
    for await (const { jobState } of new DroneMissionClient(service.options).jobs.follow('job-1')) {
      expect(jobState).toBe('PENDING');
      break;
    }
    await until(() => service.last.socket.readyState === 3);
  });
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
const sendTo = (follower: FollowerSocket, ...messages: object[]) => {
  for (const message of messages) follower.socket.send(JSON.stringify(message));
};
/** Sends each new connection what its place in the order says; those after the last the same as it. */
const welcomeWith = (...connections: readonly (readonly object[])[]) => {
  service.welcome = (follower) =>
    sendTo(follower, ...(connections[Math.min(service.sockets.length, connections.length) - 1] ?? []));
};
const afterOf = ({ path }: FollowerSocket) => new URL(path, 'http://service').searchParams.get('after');

function resuming(options: StatusFollowOptions = {}, more: object = {}) {
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
    const { told, ended } = resuming();
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
  const followingWithoutPings = () => resuming({}, { pingAfterMs: 10 * DUE_MS });

  test('goes on with a new token, and with another one', async () => {
    service.renewal = { type: 'authenticated', expiresAt: '2026-11-22T10:00:00.000Z' };
    welcomeWith([change(1, 'PENDING', { snapshot: true })]);
    const { told, ended, states } = followingWithoutPings();
    await until(() => told.length === 1);
    await jest.advanceTimersByTimeAsync(DUE_MS);
    await until(() => service.sockets[0]?.received.length === 1);
    // Comes after the answer to the token.
    sendTo(service.last, change(2, 'QUEUED'));
    await until(() => told.length === 2);
    await jest.advanceTimersByTimeAsync(DUE_MS);
    await until(() => service.sockets[0]?.received.length === 2);
    sendTo(service.last, { type: 'expiring', expiresAt: '2026-11-22T10:00:00.000Z', reason: 'token' });
    sendTo(service.last, change(3, 'CANCELLED'));
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

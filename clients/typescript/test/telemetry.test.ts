import { ageOf, ApiError, DroneMissionClient, type DeviceTelemetryMessage } from '../src/index.ts';
import { partsOf } from '../src/channels/publisher.ts';
import { FakeService, until, withoutWaits } from './fake-service.ts';

withoutWaits();
let service: FakeService;
let client: DroneMissionClient;
beforeEach(async () => {
  service = await new FakeService().start();
  client = new DroneMissionClient(service.options);
});
const followers: AbortController[] = [];
afterEach(async () => {
  for (const follower of followers.splice(0)) follower.abort();
  client.close();
  await service.stop();
});

const sample = (second: number) => ({ deviceId: 'device-1', timestamp: `2026-11-22T10:00:0${second}.000Z` });

/** Answers each message by the function. */
const answerWith = (answer: (message: Record<string, unknown>, index: number) => object | 'terminate') => {
  let count = 0;
  service.welcome = ({ socket }) =>
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Record<string, unknown>;
      if (message['action'] !== 'publish') return;
      const reply = answer(message, count++);
      if (reply === 'terminate') socket.terminate();
      else socket.send(JSON.stringify({ ...reply, id: message['id'] }));
    });
};
const accepted = ({ telemetry }: Record<string, unknown>) => ({
  type: 'published',
  accepted: (telemetry as unknown[]).length,
});

describe('publishing telemetry', () => {
  test('uses one connection, and tells how many samples were accepted', async () => {
    answerWith(accepted);
    expect(await client.telemetry.publish(sample(1))).toBe(1);
    expect(await client.telemetry.publish([sample(2), sample(3)])).toBe(2);
    expect(service.sockets).toHaveLength(1);
    expect(service.last.path).toBe('/telemetry');
  });

  test('opens one connection for calls at the same time, and gives each its own answer', async () => {
    answerWith(accepted);
    const calls = [1, 2, 3].map((count) => client.telemetry.publish(Array.from({ length: count }, () => sample(1))));
    expect(await Promise.all(calls)).toEqual([1, 2, 3]);
    expect(service.sockets).toHaveLength(1);
  });

  test('sends again what was not answered before the connection broke', async () => {
    answerWith((message, index) => (index === 0 ? 'terminate' : accepted(message)));
    expect(await client.telemetry.publish(sample(1))).toBe(1);
    expect(service.sockets).toHaveLength(2);
  });

  test('throws what the service refuses, and stays connected', async () => {
    const details = [{ path: 'telemetry.0.timestamp', message: 'must be a date' }];
    const refusal = { type: 'error', code: 'invalid_request', error: 'invalid_request', details };
    answerWith((message, index) => (index === 0 ? refusal : accepted(message)));
    await expect(client.telemetry.publish(sample(1))).rejects.toMatchObject({ code: 'invalid_request', details });
    expect(await client.telemetry.publish(sample(1))).toBe(1);
    expect(service.sockets).toHaveLength(1);
  });

  describe('when samples are refused', () => {
    const many = (count: number) => Array.from({ length: count }, () => sample(1));
    const fault = (index: number) => ({ path: `telemetry.${index}.timestamp`, message: 'must be a date' });

    test('sends everything, then throws what is wrong by its place in the list of the caller', async () => {
      answerWith(({ telemetry }, index) => {
        if (index === 1) return { type: 'error', code: 'invalid_request', error: 'Bad', details: [fault(3)] };
        const refused = [0, 2].map((place) => ({ index: place, ...fault(place) }));
        const kept = (telemetry as unknown[]).length - refused.length;
        return { type: 'published', accepted: kept, recorded: 0, refused };
      });
      const error = await client.telemetry.publish(many(90)).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({
        status: 0,
        code: 'invalid_request',
        accepted: 46,
        details: [0, 2, 43, 80, 82].map(fault),
      });
      expect(String(error)).toContain('Accepted: 46');
      expect(service.last.received.map(({ telemetry }) => (telemetry as unknown[]).length)).toEqual([40, 40, 10]);
    });

    test('stays one readable line, however many they are', async () => {
      answerWith(({ telemetry }) => ({
        type: 'published',
        accepted: 1,
        recorded: 0,
        refused: (telemetry as unknown[]).slice(1).map((_, index) => ({ index: index + 1, ...fault(index + 1) })),
      }));
      const error = (await client.telemetry.publish(many(400)).catch((thrown: unknown) => thrown)) as ApiError;
      expect(error.details).toHaveLength(390);
      expect(error.message).toMatch(/; and 370 more\)\. Accepted: 10$/);
    });

    test('throws any other refusal at once', async () => {
      answerWith(() => ({ type: 'error', code: 'forbidden', error: 'Forbidden' }));
      await expect(client.telemetry.publish(many(90))).rejects.toMatchObject({
        code: 'forbidden',
        accepted: undefined,
      });
      expect(service.last.received).toHaveLength(1);
    });
  });

  test('replaces a connection whose token is about to end', async () => {
    service.tokenLifetimesS = [0.01];
    answerWith(accepted);
    await client.telemetry.publish(sample(1));
    await new Promise((resolve) => setTimeout(resolve, 15));
    await client.telemetry.publish(sample(2));
    expect(service.sockets.map(({ token }) => token)).toEqual(['token-1', 'token-2']);
  });

  test('goes on with a new token over the same connection', async () => {
    service.renewal = { type: 'authenticated', expiresAt: '2026-11-22T10:00:00.000Z' };
    answerWith(accepted);
    await client.telemetry.publish(sample(1));
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 3_500_000);
    const calls = [client.telemetry.publish(sample(2)), client.telemetry.publish(sample(3))];
    expect(await Promise.all(calls)).toEqual([1, 1]);
    expect(service.sockets).toHaveLength(1);
    expect(service.last.received.map(({ action }) => action)).toEqual([
      'publish',
      'authenticate',
      'publish',
      'publish',
    ]);
  });

  test('can go on after it was closed', async () => {
    answerWith(accepted);
    await client.telemetry.publish(sample(1));
    client.close();
    await client.telemetry.publish(sample(2));
    expect(service.sockets).toHaveLength(2);
  });
});

describe('a list of samples', () => {
  test('is sent in parts of at most 40', () => {
    expect(partsOf(Array.from({ length: 90 }, (_, index) => sample(index))).map(({ length }) => length)).toEqual([
      40, 40, 10,
    ]);
  });

  test('is sent in parts that fit into a frame of 32 KB', () => {
    const large = { ...sample(1), sensorPayload: { text: 'ü'.repeat(4_000) } };
    const parts = partsOf(Array.from({ length: 10 }, () => large));
    expect(parts.map(({ length }) => length)).toEqual([3, 3, 3, 1]);
    for (const part of parts) expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(32 * 1024 - 100);
  });
});

const received = (sequence: number, deviceId = 'device-1', more: object = {}) => ({
  type: 'device.telemetry',
  deviceId,
  deviceGroupId: 'group-1',
  sequence,
  receivedAt: '2026-11-25T10:00:00.000Z',
  timestamp: '2026-11-25T10:00:00.000Z',
  ...more,
});
const batch = (...samples: object[]) => ({ type: 'device.telemetry.batch', samples });

function following() {
  const told: DeviceTelemetryMessage[] = [];
  const stop = new AbortController();
  followers.push(stop);
  void (async () => {
    const following = client.telemetry.follow({ deviceGroupId: 'group-1' }, { signal: stop.signal });
    for await (const message of following) told.push(message);
  })().catch(() => undefined);
  return { told, sequences: () => told.map(({ sequence }) => sequence) };
}

test('telemetry is subscribed to with batches', async () => {
  following();
  await until(() => service.sockets[0]?.received.length === 1);
  expect(service.last.received).toEqual([{ action: 'subscribe', deviceGroupId: 'group-1', batch: true }]);
});

describe('what telemetry.follow yields', () => {
  test('is every sample of a batch by itself and in order, after the snapshot', async () => {
    const single = [received(1, 'device-1', { snapshot: true }), received(9, 'device-2', { snapshot: true })];
    const together = [received(2), received(10, 'device-2'), received(3)];
    service.welcome = () => {
      for (const message of [...single, batch(...together), received(4)]) service.publish(message);
    };
    const { told } = following();
    await until(() => told.length === 6);
    expect(told).toEqual([...single, ...together, received(4)]);
  });

  test('has no repeat that a batch brings after a lost connection', async () => {
    service.welcome = () =>
      service.publish(service.sockets.length === 1 ? batch(received(1), received(2)) : batch(received(2), received(3)));
    const { told, sequences } = following();
    await until(() => told.length === 2);
    service.cut();
    await until(() => told.length === 3);
    expect(sequences()).toEqual([1, 2, 3]);
  });

  test('ends where the caller breaks, within a batch too', async () => {
    service.welcome = () => service.publish(batch(received(1), received(2), received(3)));
    const told: number[] = [];
    for await (const { sequence } of new DroneMissionClient(service.options).telemetry.follow({ deviceId: 'd' })) {
      told.push(sequence);
      if (sequence === 2) break;
    }
    expect(told).toEqual([1, 2]);
  });
});

const message = (more: Partial<DeviceTelemetryMessage>): DeviceTelemetryMessage => ({
  type: 'device.telemetry',
  deviceId: 'device-1',
  deviceGroupId: 'group-1',
  sequence: Date.parse('2026-11-25T10:00:00.000Z'),
  timestamp: '2026-11-25T10:00:00.000Z',
  receivedAt: '2026-11-25T10:00:00.250Z',
  ...more,
});

describe('the age of a message', () => {
  test.each<[string, Partial<DeviceTelemetryMessage>, number]>([
    ['a sample that arrived at once', {}, 0.25],
    ['a sample that arrived late', { receivedAt: '2026-11-25T10:20:00.000Z' }, 1200],
    ['a sample of a device whose clock is ahead', { receivedAt: '2026-11-25T09:59:30.000Z' }, 0],
    ['a snapshot', { snapshot: true, age: 86_400.5 }, 86_400.5],
    ['a snapshot of a sample that is sent as it arrives', { snapshot: true, age: 0 }, 0],
  ])('of %s', (_, more, seconds) => {
    expect(ageOf(message(more))).toBe(seconds);
  });
});

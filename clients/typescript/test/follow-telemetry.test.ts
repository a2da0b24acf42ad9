import { DroneMissionClient, type DeviceTelemetryMessage } from '../src/index.ts';
import { FakeService, until, withoutWaits } from './fake-service.ts';

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

const sample = (sequence: number, deviceId = 'device-1', more: object = {}) => ({
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
  const client = new DroneMissionClient(service.options);
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
    const single = [sample(1, 'device-1', { snapshot: true }), sample(9, 'device-2', { snapshot: true })];
    const together = [sample(2), sample(10, 'device-2'), sample(3)];
    service.welcome = () => {
      for (const message of [...single, batch(...together), sample(4)]) service.publish(message);
    };
    const { told } = following();
    await until(() => told.length === 6);
    expect(told).toEqual([...single, ...together, sample(4)]);
  });

  test('has no repeat that a batch brings after a lost connection', async () => {
    service.welcome = () =>
      service.publish(service.sockets.length === 1 ? batch(sample(1), sample(2)) : batch(sample(2), sample(3)));
    const { told, sequences } = following();
    await until(() => told.length === 2);
    service.cut();
    await until(() => told.length === 3);
    expect(sequences()).toEqual([1, 2, 3]);
  });

  test('ends where the caller breaks, within a batch too', async () => {
    service.welcome = () => service.publish(batch(sample(1), sample(2), sample(3)));
    const told: number[] = [];
    for await (const { sequence } of new DroneMissionClient(service.options).telemetry.follow({ deviceId: 'd' })) {
      told.push(sequence);
      if (sequence === 2) break;
    }
    expect(told).toEqual([1, 2]);
  });
});

import { SAID_EVERY_MS } from '../../../domain/telemetry/receipt';
import { logPublished } from '../../../lambdas/telemetry/publisher-log';
import { logLines } from '../fixtures/log';
import { newDeviceId } from '../fixtures/telemetry';

let now = new Date('2026-11-27T10:30:00.000Z');
/** Lets everything be said anew. */
const pass = (ms = SAID_EVERY_MS) => (now = new Date(now.getTime() + ms));
const sample = (deviceId: string) => ({ deviceId, timestamp: now.toISOString() });
const said = () =>
  logLines().map(({ publisher, deviceId, dropped, samples }) => [publisher, deviceId, dropped, samples]);
const ahead = (index: number) => ({ index, path: 'timestamp', message: 'is ahead' });

test('a line for each publisher, device and reason, with how many samples', () => {
  const [one, other] = [newDeviceId(), newDeviceId()];
  logPublished('client1', [sample(one), sample(other), sample(one), sample(one)], [ahead(3)], now);
  logPublished('client2', [sample(one)], [], now);
  expect(said()).toEqual([
    ['client1', one, undefined, 2],
    ['client1', other, undefined, 1],
    ['client1', one, 'timestamp is ahead', 1],
    ['client2', one, undefined, 1],
  ]);
});

test('a device that reports each second has a line every five minutes', () => {
  const deviceId = newDeviceId();
  for (let second = 0; second <= 600; second += 1) {
    logPublished('client1', [sample(deviceId)], [], now);
    pass(1000);
  }
  expect(said().map(([, , , samples]) => samples)).toEqual([1, 300, 300]);
});

test('a publisher that makes up devices fills no more than 10,000 lines in five minutes', () => {
  pass();
  const messages = [1, 2, 3].map(() => Array.from({ length: 6000 }, () => sample(newDeviceId())));
  for (const message of messages) logPublished('client1', message, [], now);
  expect(said()).toHaveLength(10_000);
  // The first one is said again: others make room.
  pass();
  logPublished('client1', messages[0]?.slice(0, 1) ?? [], [], now);
  const deviceId = newDeviceId();
  logPublished('client2', [sample(deviceId)], [], now);
  expect(said().at(-1)).toEqual(['client2', deviceId, undefined, 1]);
});

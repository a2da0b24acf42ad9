import { createShareClock } from '../../viewer/share-clock';
import type { Pong, ShareStatus, Telemetry } from '../../viewer/messages';

/** The service's time when the page opens. */
const service = Date.parse('2026-11-25T10:00:00.000Z');

let elapsed: number;
beforeEach(() => {
  elapsed = 7000;
});

const share = (at: number, more: Partial<ShareStatus> = {}): ShareStatus => ({
  type: 'share.status',
  shareState: 'ACTIVE',
  currentViewers: 1,
  maxViewers: 10,
  expiresAt: new Date(service + 3_600_000).toISOString(),
  timestamp: new Date(at).toISOString(),
  ...more,
});
const sample = (at: number, more: Partial<Telemetry> = {}): Telemetry => ({
  type: 'device.telemetry',
  timestamp: new Date(at).toISOString(),
  ...more,
});
const givenClock = () => {
  const clock = createShareClock(() => elapsed);
  clock.onShare(share(service, { snapshot: true }));
  return clock;
};

describe('The age of what the page shows', () => {
  test('is unknown before the first report', () => {
    expect(givenClock().age()).toBeUndefined();
  });

  test.each([{ snapshot: true } as const, {}])('is that of the measurement, by the service’s time: %j', (more) => {
    const clock = givenClock();
    clock.onSample(sample(service - 1_200_000, more));
    expect(clock.age()).toBe(1_200_000);
    elapsed += 3000;
    expect(clock.age()).toBe(1_203_000);
  });

  test('begins again with a newer sample', () => {
    const clock = givenClock();
    clock.onSample(sample(service - 1_200_000));
    clock.onSample(sample(service - 40));
    expect(clock.age()).toBe(40);
  });

  test('is never negative, also when the device’s clock is ahead', () => {
    const clock = givenClock();
    clock.onSample(sample(service + 20_000));
    expect(clock.age()).toBe(0);
  });

  test('keeps to the service’s time when the number of viewers changes', () => {
    const clock = givenClock();
    clock.onShare(share(service - 90_000, { currentViewers: 2 }));
    clock.onSample(sample(service - 5000));
    expect(clock.age()).toBe(5000);
  });
});

describe('A pong', () => {
  const HOUR_MS = 3_600_000;
  const pong = (askedAt: number, at?: number): Pong => ({
    type: 'pong',
    id: askedAt,
    ...(at !== undefined && { timestamp: new Date(at).toISOString() }),
  });

  // In ms after the welcome: when the page asks, when the answer comes, the service's time in it, and the page's time then.
  test.each([
    ['that agrees with the clock changes nothing', 100, 150, 120, 150],
    ['that took an hour, since the machine slept, changes nothing', 100, HOUR_MS + 150, 120, HOUR_MS + 150],
    ['sets a clock back that was set forward', HOUR_MS + 100, HOUR_MS + 150, 120, 120],
    ['sets a clock forward that stood still', 100, 150, HOUR_MS + 120, HOUR_MS + 120],
  ])('%s', (_, asked, answered, time, expected) => {
    const clock = givenClock();
    const welcomed = elapsed;
    elapsed = welcomed + answered;
    clock.onPong(pong(welcomed + asked, service + time));
    expect(clock.now() - service).toBe(expected);
  });

  test('without a time, of an earlier service, changes nothing', () => {
    const clock = givenClock();
    elapsed += 150;
    clock.onPong(pong(100));
    expect(clock.now() - service).toBe(150);
  });

  test('tells the time before the page is welcomed', () => {
    const clock = createShareClock(() => elapsed);
    clock.onPong(pong(elapsed - 50, service));
    expect(clock.now()).toBe(service);
  });
});

test('the remaining time is by the service’s clock, and 0 after the end', () => {
  const clock = givenClock();
  expect(clock.timeLeft()).toBe(3_600_000);
  clock.onShare(share(service, { shareState: 'REVOKED' }));
  expect(clock.timeLeft()).toBe(0);
});

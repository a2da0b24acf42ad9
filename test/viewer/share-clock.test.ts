import { createShareClock } from '../../viewer/share-clock';
import type { ShareStatus, Telemetry } from '../../viewer/messages';

/** The service's time; the viewer's clock is ten minutes ahead of it. */
const service = Date.parse('2026-11-25T10:00:00.000Z');
const AHEAD_MS = 600_000;

beforeEach(() => {
  jest.useFakeTimers({ now: service + AHEAD_MS });
});
afterEach(() => jest.useRealTimers());

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
  const clock = createShareClock();
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
    jest.advanceTimersByTime(3000);
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

test('the remaining time is by the service’s clock, and 0 after the end', () => {
  const clock = givenClock();
  expect(clock.timeLeft()).toBe(3_600_000);
  clock.onShare(share(service, { shareState: 'REVOKED' }));
  expect(clock.timeLeft()).toBe(0);
});

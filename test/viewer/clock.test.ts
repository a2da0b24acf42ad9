import { createElapsedTime, createShareClock } from '../../viewer/clock';
import type { Pong, ShareStatus, Telemetry } from '../../viewer/parse-message';
import { nextSilence, type SilenceState } from '../../viewer/silence-announcements';

describe('Elapsed time', () => {
  const HOUR_MS = 3_600_000;

  /** What each clock advances before a look, in ms; and what has elapsed and was skipped then. */
  type Step = readonly [wall: number, monotonic: number, elapsed: number, skipped: number];

  test.each<[string, readonly Step[]]>([
    ['follows two clocks that go on', [[1000, 1000, 1000, 0]]],
    ['counts a sleep', [[HOUR_MS, 40, HOUR_MS, HOUR_MS - 40]]],
    [
      'counts a sleep once',
      [
        [HOUR_MS, 0, HOUR_MS, HOUR_MS],
        [500, 500, HOUR_MS + 500, HOUR_MS],
      ],
    ],
    ['counts a clock that is set forward', [[HOUR_MS + 100, 100, HOUR_MS + 100, HOUR_MS]]],
    [
      'does not count a clock that is set back',
      [
        [100 - HOUR_MS, 100, 100, 0],
        [1000, 1000, 1100, 0],
      ],
    ],
    [
      'counts a sleep after a clock was set back',
      [
        [100 - HOUR_MS, 100, 100, 0],
        [60_000, 0, 60_100, 60_000],
      ],
    ],
    [
      'does not count the small steps of a clock that is corrected',
      [
        [1900, 1000, 1000, 0],
        [1900, 1000, 2000, 0],
      ],
    ],
    ['counts a wait while no timer runs', [[HOUR_MS, HOUR_MS, HOUR_MS, 0]]],
  ])('the elapsed time %s', (_, steps) => {
    const clocks = { wall: 1_800_000_000_000, monotonic: 12 };
    const elapsedTime = createElapsedTime({ wall: () => clocks.wall, monotonic: () => clocks.monotonic });
    let awake = 0;
    for (const [wall, monotonic, elapsed, skipped] of steps) {
      clocks.wall += wall;
      clocks.monotonic += monotonic;
      awake += monotonic;
      expect([elapsedTime.now(), elapsedTime.skipped(), elapsedTime.awake()]).toEqual([elapsed, skipped, awake]);
    }
  });
});

describe('Share clock', () => {
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
      clock.onState(sample(service - 1_200_000, more));
      expect(clock.age()).toBe(1_200_000);
      elapsed += 3000;
      expect(clock.age()).toBe(1_203_000);
    });

    test('begins again with a newer sample', () => {
      const clock = givenClock();
      clock.onState(sample(service - 1_200_000));
      clock.onState(sample(service - 40));
      expect(clock.age()).toBe(40);
    });

    test('is never negative, also when the device’s clock is ahead', () => {
      const clock = givenClock();
      clock.onState(sample(service + 20_000));
      expect(clock.age()).toBe(0);
    });

    test('keeps to the service’s time when the number of viewers changes', () => {
      const clock = givenClock();
      clock.onShare(share(service - 90_000, { currentViewers: 2 }));
      clock.onState(sample(service - 5000));
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
});

describe('Silence announcements', () => {
  /** From a second on: `old` or `live` figures of a connected page, or `lost` connection. */
  type Course = readonly (readonly [second: number, is: 'old' | 'live' | 'lost'])[];

  /** What is announced while the course is looked at ten times a second, with the seconds. */
  function announcements(course: Course, seconds: number): string[] {
    const found: string[] = [];
    let state: SilenceState = { isAnnounced: false };
    for (let at = 0; at <= seconds * 1000; at += 100) {
      const is = course.findLast(([second]) => second * 1000 <= at)?.[1] ?? 'live';
      const step = nextSilence(state, { at, isConnected: is !== 'lost', isOld: is === 'old' });
      state = step.state;
      if (step.announce) found.push(`${step.announce} ${at / 1000}`);
    }
    return found;
  }

  /** A device whose reports are so many seconds apart: figures are old five seconds after each. */
  const reporting = (every: number): Course =>
    Array.from({ length: 100 }, (_, report) => [
      [report * every, 'live'] as const,
      [report * every + 5, 'old'] as const,
    ]).flat();

  test.each<[string, Course, string[]]>([
    ['nothing while it flies', [[0, 'live']], []],
    ['silence once, after ten seconds', [[20, 'old']], ['silence 30']],
    ['nothing of a device that reports every 6 seconds', reporting(6), []],
    ['nothing of a device that reports every 12 seconds', reporting(12), []],
    [
      'silence and its end once',
      [
        [20, 'old'],
        [50, 'live'],
      ],
      ['silence 30', 'end 50'],
    ],
    [
      'no end of what was not announced',
      [
        [20, 'old'],
        [29, 'live'],
      ],
      [],
    ],
    [
      'silence at most once a minute',
      [
        [20, 'old'],
        [40, 'live'],
        [50, 'old'],
        [70, 'live'],
        [75, 'old'],
        [120, 'live'],
      ],
      ['silence 30', 'end 40', 'silence 90', 'end 120'],
    ],
    [
      'nothing while it is not connected',
      [
        [20, 'old'],
        [25, 'lost'],
      ],
      [],
    ],
    [
      'no end when the connection was lost before it',
      [
        [20, 'old'],
        [40, 'lost'],
        [50, 'live'],
      ],
      ['silence 30'],
    ],
    [
      'silence that goes on after a lost connection',
      [
        [20, 'old'],
        [40, 'lost'],
        [100, 'old'],
      ],
      ['silence 30', 'silence 110'],
    ],
  ])('announces %s', (_, course, expected) => expect(announcements(course, 300)).toEqual(expected));
});

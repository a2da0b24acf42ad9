import { createElapsedTime } from '../../viewer/elapsed-time';

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

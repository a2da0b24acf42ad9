/** Two clocks in ms, which may have any zero. */
export interface Clocks {
  /** Goes on while the machine sleeps, and may be set. */
  readonly wall: () => number;
  /** Is never set, and may stand still while the machine sleeps. */
  readonly monotonic: () => number;
}

export interface ElapsedTime {
  /** Elapsed time in ms since its creation; a machine that slept counts, a clock that is set back does not. */
  now(): number;
  /** Elapsed time in ms by the monotonic clock. */
  awake(): number;
  /** How much of the elapsed time the monotonic clock did not count: the machine slept, or its clock was set forward. In ms. */
  skipped(): number;
}

/** What the wall clock may be ahead between two calls without being a sleep: clocks are corrected in small steps. In ms. */
const TOLERANCE_MS = 1000;

/**
 * Measures elapsed time. Chromium's `performance.now()` stands still while a machine with Linux or macOS sleeps, so what the
 * wall clock is ahead of it counts too. That it was only set forward is for the server's time to say. Sleep is noticed at
 * the next call, so it has to be called often.
 */
export function createElapsedTime({ wall, monotonic }: Clocks): ElapsedTime {
  const begin = monotonic();
  let skipped = 0;
  let ahead = wall() - begin;

  const awake = () => monotonic() - begin;

  function look(): void {
    const before = ahead;
    ahead = wall() - monotonic();
    if (ahead - before > TOLERANCE_MS) skipped += ahead - before;
  }

  return {
    awake,
    now() {
      look();
      return awake() + skipped;
    },
    skipped() {
      look();
      return skipped;
    },
  };
}

/** The elapsed time of the page. */
export const elapsedTime = createElapsedTime({ wall: () => Date.now(), monotonic: () => performance.now() });

/** Elapsed time in ms since the page was loaded. */
export const elapsed = (): number => elapsedTime.now();

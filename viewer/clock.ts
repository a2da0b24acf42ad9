import type { KnownState } from '../domain/telemetry/known-state';
import type { Pong, ShareStatus } from './parse-message';

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

export interface ShareClock {
  /** The server's time, in Unix milliseconds. */
  now(): number;
  onShare(share: ShareStatus): void;
  onPong(pong: Pong): void;
  /** Takes in what the page shows, whose time is that of the newest report. */
  onState(state: Pick<KnownState, 'timestamp'>): void;
  /** Remaining time of the share in ms: 0 after its end, undefined before the page knows it. */
  timeLeft(): number | undefined;
  /** How long ago the device measured what the page shows, in ms, never negative; undefined before its first report. */
  age(): number | undefined;
  /** Whether what the page shows is too old to be live; true before the first report. */
  isOld(): boolean;
}

/** Figures older than this are not live, in ms. */
export const OLD_AFTER_MS = 5000;

/** Measures time by the server's clock, since a viewer's may be wrong. @param elapsed elapsed time in ms */
export function createShareClock(elapsed: () => number): ShareClock {
  /** The server's time less the elapsed time, in ms. */
  let offset: number | undefined;
  let expiresAt: number | undefined;
  let measuredAt: number | undefined;
  let ended = false;

  const now = () => elapsed() + (offset ?? 0);
  const age = () => (measuredAt === undefined ? undefined : Math.max(0, now() - measuredAt));

  return {
    now,
    age,
    isOld: () => (age() ?? Infinity) > OLD_AFTER_MS,
    onShare({ timestamp, expiresAt: until, shareState, snapshot }) {
      // Other states have the time of the change, which may be a while ago.
      if (timestamp !== undefined && (snapshot || offset === undefined)) offset = Date.parse(timestamp) - elapsed();
      if (until !== undefined) expiresAt = Date.parse(until);
      ended = shareState !== 'ACTIVE';
    },
    // The server answered at some moment between ping and pong: an offset that fits stays, however long the pong took.
    onPong({ id: askedAt, timestamp }) {
      // A server of an earlier version does not say its time.
      if (timestamp === undefined || askedAt === undefined) return;
      const answeredAt = Date.parse(timestamp);
      const least = answeredAt - elapsed();
      if (offset === undefined || offset < least || offset > answeredAt - askedAt) offset = least;
    },
    // A live sample may be old too: a device sends late what it measured while it had no connection.
    onState({ timestamp }) {
      measuredAt = Date.parse(timestamp);
    },
    timeLeft: () => (expiresAt === undefined ? undefined : ended ? 0 : Math.max(0, expiresAt - now())),
  };
}

import type { ShareStatus, Telemetry } from './messages';

export interface ShareClock {
  /** The server's time, in Unix milliseconds. */
  now(): number;
  onShare(share: ShareStatus): void;
  onSample(sample: Telemetry): void;
  /** Remaining time of the share in ms: 0 after its end, undefined before the page knows it. */
  timeLeft(): number | undefined;
  /** How long ago the device measured what the page shows, in ms, never negative; undefined before its first report. */
  age(): number | undefined;
}

/** Measures time by the server's clock, since a viewer's may be wrong. */
export function createShareClock(): ShareClock {
  let clockOffsetMs = 0;
  let expiresAt: number | undefined;
  let measuredAt: number | undefined;
  let ended = false;

  const now = () => Date.now() + clockOffsetMs;

  return {
    now,
    onShare({ timestamp, expiresAt: until, shareState, snapshot }) {
      if (snapshot && timestamp !== undefined) clockOffsetMs = Date.parse(timestamp) - Date.now() || 0;
      if (until !== undefined) expiresAt = Date.parse(until);
      ended = shareState !== 'ACTIVE';
    },
    // A live sample may be old too: a device sends late what it measured while it had no connection.
    onSample({ timestamp }) {
      measuredAt = Date.parse(timestamp);
    },
    timeLeft: () => (expiresAt === undefined ? undefined : ended ? 0 : Math.max(0, expiresAt - now())),
    age: () => (measuredAt === undefined ? undefined : Math.max(0, now() - measuredAt)),
  };
}

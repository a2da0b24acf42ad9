import type { ShareStatus, Telemetry } from './messages';

export interface ShareClock {
  /** The server's time, in Unix milliseconds. */
  now(): number;
  onShare(share: ShareStatus): void;
  onSample(sample: Telemetry): void;
  /** Remaining time of the share in ms: 0 after its end, undefined before the page knows it. */
  timeLeft(): number | undefined;
  /** How long ago the device reported, in ms; undefined before its first report. */
  silence(): number | undefined;
}

/** Measures time by the server's clock, since a viewer's may be wrong. */
export function createShareClock(): ShareClock {
  let clockOffsetMs = 0;
  let expiresAt: number | undefined;
  let sampledAt: number | undefined;
  let ended = false;

  const now = () => Date.now() + clockOffsetMs;

  return {
    now,
    onShare({ timestamp, expiresAt: until, shareState, snapshot }) {
      if (snapshot) clockOffsetMs = Date.parse(timestamp) - Date.now() || 0;
      expiresAt = Date.parse(until);
      ended = shareState !== 'ACTIVE';
    },
    onSample({ timestamp, snapshot }) {
      sampledAt = snapshot ? Date.parse(timestamp) - clockOffsetMs : Date.now();
    },
    timeLeft: () => (expiresAt === undefined ? undefined : ended ? 0 : Math.max(0, expiresAt - now())),
    silence: () => (sampledAt === undefined ? undefined : Math.max(0, Date.now() - sampledAt)),
  };
}

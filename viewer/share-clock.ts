import { element, setText } from './element';
import type { ShareStatus, Telemetry } from './messages';
import { formatDuration } from './format';

export interface ShareClock {
  /** The server's time, in Unix milliseconds. */
  now(): number;
  onShare(share: ShareStatus): void;
  onSample(sample: Telemetry): void;
  setConnected(connected: boolean): void;
  /** Shows the share's remaining time and the age of the figures. */
  show(): void;
}

/** Without a sample for this long the figures are marked as stale, in ms. */
const STALE_AFTER_MS = 5000;

/** Measures time by the server's clock, since a viewer's may be wrong. */
export function createShareClock(): ShareClock {
  const stale = element('stale', HTMLElement);
  const left = element('time-left', HTMLElement);
  const measured = element('measured-at', HTMLElement);
  let clockOffsetMs = 0;
  let expiresAt: number | undefined;
  let sampledAt: number | undefined;
  let live = false;
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
      setText(measured, new Date(timestamp).toLocaleTimeString('en-GB'));
    },
    setConnected: (connected) => (live = connected),
    show() {
      if (expiresAt !== undefined) setText(left, ended ? 'none' : formatDuration(expiresAt - now()));
      const silence = sampledAt === undefined ? Infinity : Date.now() - sampledAt;
      stale.hidden = !live || silence < STALE_AFTER_MS;
      if (stale.hidden) return;
      setText(stale, sampledAt === undefined ? 'The drone has not reported yet' : `Last report ${formatAge(silence)}`);
    },
  };
}

function formatAge(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return `${Math.floor(milliseconds / 1000)} s ago`;
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} days ago`;
}

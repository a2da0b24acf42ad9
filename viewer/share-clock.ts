import { element, write } from './element';
import type { ShareStatus, Telemetry } from './messages';
import { span } from './units';

export interface ShareClock {
  /** The server's time, in Unix milliseconds. */
  now(): number;
  shared(share: ShareStatus): void;
  sampled(sample: Telemetry): void;
  connected(connected: boolean): void;
  /** Writes how long the share still stands, and how old the figures are. */
  show(): void;
}

/** A drone that has said nothing for so long is worth a word, in ms. */
const SILENT_AFTER = 5000;

/** Keeps time by the server's clock, since that of a viewer may be wrong. */
export function createShareClock(): ShareClock {
  const stale = element('stale', HTMLElement);
  const left = element('time-left', HTMLElement);
  const measured = element('measured-at', HTMLElement);
  let ahead = 0;
  let expiresAt: number | undefined;
  let heardAt: number | undefined;
  let live = false;
  let ended = false;

  const now = () => Date.now() + ahead;

  return {
    now,
    shared({ timestamp, expiresAt: until, shareState, snapshot }) {
      if (snapshot) ahead = Date.parse(timestamp) - Date.now() || 0;
      expiresAt = Date.parse(until);
      ended = shareState !== 'ACTIVE';
    },
    sampled({ timestamp, snapshot }) {
      heardAt = snapshot ? Date.parse(timestamp) - ahead : Date.now();
      write(measured, new Date(timestamp).toLocaleTimeString('en-GB'));
    },
    connected: (connected) => (live = connected),
    show() {
      if (expiresAt !== undefined) write(left, ended ? 'none' : span(expiresAt - now()));
      const silence = heardAt === undefined ? Infinity : Date.now() - heardAt;
      stale.hidden = !live || silence < SILENT_AFTER;
      if (stale.hidden) return;
      write(stale, heardAt === undefined ? 'The drone has not reported yet' : `Last report ${ago(silence)}`);
    },
  };
}

function ago(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return `${Math.floor(milliseconds / 1000)} s ago`;
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} days ago`;
}

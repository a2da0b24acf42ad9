/** What is known at one moment. */
export interface SilenceSituation {
  /** Elapsed time in ms. */
  readonly at: number;
  readonly isConnected: boolean;
  /** Whether the figures are too old to be live, or there are none. */
  readonly isOld: boolean;
}

/** What was announced so far. */
export interface SilenceState {
  /** Since when the figures of the connected page are old, in elapsed ms. */
  readonly oldSince?: number | undefined;
  /** When a silence was last announced, in elapsed ms. */
  readonly announcedAt?: number | undefined;
  /** Whether a silence was announced that has not ended. */
  readonly isAnnounced: boolean;
}

export interface SilenceStep {
  readonly state: SilenceState;
  /** What is to be announced now. */
  readonly announce?: 'silence' | 'end';
}

/** A device that reports every six or twelve seconds is not silent. In ms. */
const SILENT_AFTER_MS = 10_000;
/** Nobody can listen to a device that falls silent again and again. In ms. */
const SILENCE_EVERY_MS = 60_000;

/**
 * When silence of a device, and its end, are announced to screen readers: each once. Without a connection neither is, since
 * that is announced by itself.
 */
export function nextSilence(before: SilenceState, { at, isConnected, isOld }: SilenceSituation): SilenceStep {
  const { announcedAt, isAnnounced } = before;
  if (!isConnected) return { state: { announcedAt, isAnnounced: false } };
  if (!isOld) {
    return { state: { announcedAt, isAnnounced: false }, ...(isAnnounced && { announce: 'end' }) };
  }
  const { oldSince = at } = before;
  const isDue =
    !isAnnounced &&
    at - oldSince >= SILENT_AFTER_MS &&
    (announcedAt === undefined || at - announcedAt >= SILENCE_EVERY_MS);
  return isDue
    ? { state: { oldSince, announcedAt: at, isAnnounced: true }, announce: 'silence' }
    : { state: { oldSince, announcedAt, isAnnounced } };
}

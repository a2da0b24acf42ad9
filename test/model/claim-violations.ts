/** How long a claim lives from its dispatch, in ms, unless its job ends sooner (docs/decisions/requests.md). */
export const CLAIM_MS = 60_000;
/** After so much time everybody knows of the end of a job, in ms, on a busy machine. */
const KNOWN_AFTER_MS = 5000;

/** A dispatch that was answered. Times in ms of one clock. */
export interface Dispatch {
  readonly label: string;
  readonly start: number;
  readonly end: number;
  /** The device that was taken; undefined when none was free. */
  readonly deviceId: string | undefined;
  /** Why devices were not taken, as the refusal says. */
  readonly reasons: readonly string[];
  /** The call that cancelled its job; the end is Infinity without an answer. */
  cancelled?: { readonly start: number; readonly end: number };
}

type Taken = Dispatch & { readonly deviceId: string };

const isTaken = (dispatch: Dispatch): dispatch is Taken => dispatch.deviceId !== undefined;

/**
 * Whether the later of two dispatches of one device may have found it free. A job that nobody queues ends when its
 * claim does.
 */
const mayFollow = (former: Taken, later: Taken): boolean =>
  later.end >= Math.min(former.start + CLAIM_MS, former.cancelled?.start ?? Infinity);

/** Whether a device may still have been taken by a dispatch during another one. */
const mayHold = ({ start, cancelled }: Taken, during: Dispatch): boolean =>
  start <= during.end && (cancelled === undefined || cancelled.end + KNOWN_AFTER_MS >= during.start);

/**
 * Violations of claims: no device is taken twice, and none that is free is passed over.
 * @param devices all that stand
 */
export function claimViolations(dispatches: readonly Dispatch[], devices: readonly string[]): string[] {
  const taken = dispatches.filter(isTaken);
  const twice = taken.flatMap((one, index) =>
    taken
      .slice(index + 1)
      .filter((other) => other.deviceId === one.deviceId && !mayFollow(one, other) && !mayFollow(other, one))
      .map((other) => `${one.label} and ${other.label} took the same device`),
  );
  const unknown = taken
    .filter(({ deviceId }) => !devices.includes(deviceId))
    .map(({ label }) => `${label}: took a device that is none of the docks`);
  const passedOver = dispatches.filter((refused) => {
    if (isTaken(refused) || refused.reasons.some((reason) => reason !== 'BUSY')) return false;
    const mayBeTaken = new Set(taken.filter((one) => mayHold(one, refused)).map(({ deviceId }) => deviceId));
    return mayBeTaken.size < devices.length;
  });
  return [...twice, ...unknown, ...passedOver.map(({ label }) => `${label}: refused while a device was free`)];
}

import { measuredAt, type KnownState } from '../domain/telemetry/known-state';
import { OLD_AFTER_MS } from './clock';

/**
 * What changes slowly is also reported rarely, some of it every half minute. In a minute a battery loses some 3 percent, and
 * a minute of the flight time that is left: what is older shows other digits than a viewer would see now. In ms.
 */
const SLOW_OLD_AFTER_MS = 60_000;
const slow = /^(battery|weather|progress)\b/;

/** A path of a state, as of `measuredAt`. */
export const POSITION = 'navigation.position';
export const HEADING = 'navigation.orientation.heading';

/**
 * The age of the oldest of the old values of a state, in ms; undefined when none is old. A value is old that was measured long
 * before the newest report, whose own age is that of the page.
 * @param now the server's time, in Unix ms; the device's clock may be ahead of it
 */
export function ageOfOld(state: KnownState, paths: readonly string[], now = -Infinity): number | undefined {
  const newest = Date.parse(state.timestamp);
  const old = paths.flatMap((path) => {
    const at = measuredAt(state, path);
    return at !== undefined && newest - at > (slow.test(path) ? SLOW_OLD_AFTER_MS : OLD_AFTER_MS) ? at : [];
  });
  return old.length > 0 ? Math.max(now, newest) - Math.min(...old) : undefined;
}

/** Whether a value is old and another one, beside which it is shown, is not: then it would seem to be of now. */
export const isOldBeside = (state: KnownState, path: string, other: string): boolean =>
  ageOfOld(state, [path]) !== undefined && ageOfOld(state, [other]) === undefined;

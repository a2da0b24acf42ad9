import { passed, rateAfter, secondsUntil, STEADY, type Pace } from './pace';
import type { Place } from './dock';
import { smoothly, type Way } from './way';

/** A part of a flight: one way, at one pace. Each begins where and as fast as the one before ends. */
export interface Stretch {
  /** When it begins, in seconds of the mission; it lasts until the next one begins. */
  readonly from: number;
  readonly way: Way;
  /** Which second of its way that is. */
  readonly second: number;
  readonly pace: Pace;
  /** The drone stops there to fly something else. */
  readonly isLeft?: boolean;
}

/** A computed moment may be a little before the one that is meant, in seconds. */
const ROUNDING_S = 1e-6;

/** Which second of its way it is, `t` seconds into the mission. */
export function secondAt({ from, way, second, pace }: Stretch, t: number): number {
  const s = second + passed(pace, Math.max(0, t - from));
  return s > way.seconds - ROUNDING_S ? way.seconds : s;
}

/** When the drone has come to a second of the way; Infinity if it never does. */
export const whenAt = ({ from, second, pace }: Stretch, s: number): number => from + secondsUntil(pace, s - second);

/** When the way ends. */
export const endOf = (stretch: Stretch): number => whenAt(stretch, stretch.way.seconds);

export const placeAt = (stretch: Stretch, t: number): Place => stretch.way.at(secondAt(stretch, t));

/** How fast the time of its way passes. */
export const rateAt = ({ from, pace }: Stretch, t: number): number => rateAfter(pace, Math.max(0, t - from));

/** When the drone stands, of a stretch in which it brakes; or has come to the end of its way. */
export const haltOf = (stretch: Stretch): number =>
  stretch.pace.to === 0 ? Math.min(endOf(stretch), stretch.from + stretch.pace.seconds) : endOf(stretch);

/** The same way, on which the drone gets faster or slower from `t` on. */
export function changedAt(stretch: Stretch, t: number, rate: number): Stretch {
  const second = secondAt(stretch, t);
  const pace = smoothly(stretch.way, second, rateAt(stretch, t), rate);
  return { from: t, way: stretch.way, second, pace };
}

/** Ways one after the other. */
export function inTurn(from: number, ways: readonly Way[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const way of ways) {
    const last = stretches.at(-1);
    stretches.push({ from: last ? endOf(last) : from, way, second: 0, pace: STEADY });
  }
  return stretches;
}

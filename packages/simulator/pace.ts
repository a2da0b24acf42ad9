/**
 * How fast the time of a way passes: from one rate to another in so many seconds, then constantly. 1 is as planned, 0
 * is a halt.
 */
export interface Pace {
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
}

export const STEADY: Pace = { from: 1, to: 1, seconds: 0 };

/** How much of the change is made after `s` seconds, from 0 to 1. */
const changed = ({ seconds }: Pace, s: number) => (seconds === 0 ? 1 : Math.min(1, Math.max(0, s / seconds)));

/** The rate after `s` seconds: it begins and ends to change smoothly. */
export function rateAfter(pace: Pace, s: number): number {
  const u = changed(pace, s);
  return pace.from + (pace.to - pace.from) * u * u * (3 - 2 * u);
}

/** How much of the time of the way has passed after `s` seconds. */
export function passed(pace: Pace, s: number): number {
  const { from, to, seconds } = pace;
  const u = changed(pace, s);
  return seconds * (from * u + (to - from) * (u ** 3 - u ** 4 / 2)) + to * Math.max(0, s - seconds);
}

/** How many seconds it takes until `time` of the way has passed: Infinity when it never does. */
export function secondsUntil(pace: Pace, time: number): number {
  if (time <= 0) return 0;
  const whileChanging = passed(pace, pace.seconds);
  if (time >= whileChanging) {
    if (time === whileChanging) return pace.seconds;
    return pace.to === 0 ? Infinity : pace.seconds + (time - whileChanging) / pace.to;
  }
  let [low, high] = [0, pace.seconds];
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2;
    if (passed(pace, middle) < time) low = middle;
    else high = middle;
  }
  return high;
}

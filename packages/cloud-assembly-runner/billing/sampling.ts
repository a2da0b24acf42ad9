/** X-Ray's default sampling rule: X-Ray developer guide, "Configuring sampling rules". */

/** Fraction that is recorded of the requests beyond the first of a second. */
const FIXED_RATE = 0.05;

/**
 * Creates the sampling of one function. The returned function takes the time of a request in ms and returns how many traces
 * are recorded: 1 for the first request of a second, and for others what is to be expected of them.
 */
export function createSampling(): (at: number) => number {
  let last: number | undefined;
  return (at) => {
    const second = Math.floor(at / 1000);
    if (second === last) return FIXED_RATE;
    last = second;
    return 1;
  };
}

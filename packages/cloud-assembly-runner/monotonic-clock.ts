/** Unix ms of the start of this process, by the system clock at that time. */
const originMs = Date.now() - performance.now();

/**
 * Unix ms by a clock that never jumps, for delays and deadlines. The system clock jumps when it is set or a laptop wakes
 * up: a delay of a second could take an hour.
 */
export function monotonicNow(): number {
  return originMs + performance.now();
}

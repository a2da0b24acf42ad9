/** Unix ms at which this process began, by the clock of then. */
const beginning = Date.now() - performance.now();

/**
 * Unix ms by a clock that never jumps: for durations, such as delays and deadlines. The system's clock does, forwards and
 * backwards, when it is set or a laptop wakes up; by it, a delay of a second could take an hour.
 */
export function steadyNow(): number {
  return beginning + performance.now();
}

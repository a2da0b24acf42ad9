/** Seconds of a file whose duration isn't kept: it is short, or new. */
const DEFAULT_S = 1;
/** Seconds from the start of a run until its stack is ready. */
const STACK_READY_S = 30;

/**
 * The order of a run: the longest test files first, so that none runs alone at the end. While the stack starts, the
 * workers have files that need none.
 * @param tests `{ path, needsStack }` of each, the path from the root
 * @param workers how many files run at a time
 * @param durations seconds, by path
 */
export function inOrder(tests, workers, durations) {
  const seconds = ({ path }) => durations[path] ?? DEFAULT_S;
  const sorted = tests.toSorted((one, other) => seconds(other) - seconds(one) || (one.path < other.path ? -1 : 1));
  let until = STACK_READY_S * workers;
  const first = new Set();
  for (const test of sorted.filter(({ needsStack }) => !needsStack)) {
    if (until <= 0) break;
    first.add(test);
    until -= seconds(test);
  }
  return [...first, ...sorted.filter((test) => !first.has(test))];
}

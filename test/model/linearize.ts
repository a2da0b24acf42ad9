/** An operation on a resource, or an observation of it, with its result. Times are in ms of one clock. */
export interface Step<State> {
  /** For printing: without secrets, tokens and whole share codes. */
  readonly label: string;
  /** It took effect after this time; `-Infinity` for an observation of the past. */
  readonly start: number;
  /** It had taken effect by this time; `Infinity` for one that may take effect at any later time, or never. */
  readonly end: number;
  /** The possible next states, given its result: none when the result is impossible in this state. */
  next(state: State): readonly State[];
}

/** A resource's initial state and internal transitions. */
export interface Model<State> {
  readonly initial: State;
  /** States reachable without an operation. */
  internal?(state: State): readonly State[];
}

export interface Linearization<State> {
  /** Steps in an order that explains all results; undefined when there is none. */
  readonly order: readonly Step<State>[] | undefined;
  /** The longest prefix that the search found. */
  readonly furthest: readonly Step<State>[];
  /** The state after `order` or, without one, after `furthest`. */
  readonly last: State;
  /** Number of search states visited. */
  readonly visitedStates: number;
}

/** A state of the search: steps already ordered and steps left. */
interface SearchState<State> {
  readonly state: State;
  readonly left: readonly Step<State>[];
  readonly order: readonly Step<State>[];
}

/** Steps that may come next: they began before any remaining step had ended. */
function enabledSteps<State>(left: readonly Step<State>[]): readonly Step<State>[] {
  const firstEnd = left.reduce((least, { end }) => Math.min(least, end), Infinity);
  return left.filter(({ start }) => start <= firstEnd);
}

/**
 * Orders all enabled steps that change nothing. That is safe: they restrict no other step, and in these models a step that
 * changes nothing in a state cannot change anything later.
 */
function withReadsOrdered<State>(searchState: SearchState<State>): SearchState<State> {
  const { state } = searchState;
  let { left, order } = searchState;
  for (;;) {
    const reads = new Set(
      enabledSteps(left).filter((step) => {
        const [only, another] = step.next(state);
        return only === state && another === undefined;
      }),
    );
    if (reads.size === 0) return { state, left, order };
    left = left.filter((step) => !reads.has(step));
    order = [...order, ...reads];
  }
}

/**
 * Searches for an order of steps that explains every result and respects real time: linearizability as defined by Herlihy
 * and Wing, with Wing and Gong's search and Lowe's memoisation of states ("Testing for linearizability", 2017). Steps with
 * an open end may be left out.
 * @param steps of one resource, in any order
 */
export function linearize<State>(steps: readonly Step<State>[], model: Model<State>): Linearization<State> {
  const numbers = new Map(steps.map((step, index) => [step, index]));
  const visited = new Set<string>();
  let furthest: SearchState<State> = { state: model.initial, left: steps, order: [] };
  const waiting: SearchState<State>[] = [furthest];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const searchState = withReadsOrdered(next);
    const { state, left, order } = searchState;
    const name = JSON.stringify([state, left.map((step) => numbers.get(step))]);
    if (visited.has(name)) continue;
    visited.add(name);
    if (order.length > furthest.order.length) furthest = searchState;
    if (left.every(({ end }) => end === Infinity))
      return { order, furthest: order, last: state, visitedStates: visited.size };
    for (const after of model.internal?.(state) ?? []) waiting.push({ state: after, left, order });
    for (const step of enabledSteps(left)) {
      const without = left.filter((other) => other !== step);
      for (const after of step.next(state)) waiting.push({ state: after, left: without, order: [...order, step] });
    }
  }
  return { order: undefined, furthest: furthest.order, last: furthest.state, visitedStates: visited.size };
}

/** A history as text, by start time since the first step, with unexplained steps marked. */
export function formatHistory<State>(
  steps: readonly Step<State>[],
  { order, furthest, last }: Linearization<State>,
): string {
  const sorted = steps.toSorted((one, other) => one.start - other.start || one.end - other.end);
  const origin = sorted.find(({ start }) => Number.isFinite(start))?.start ?? 0;
  const formatTime = (at: number) => (Number.isFinite(at) ? (at - origin).toFixed(1) : at < 0 ? '…' : '…');
  const explained = new Set(order ?? furthest);
  const lines = sorted.map(
    (step) =>
      `  ${explained.has(step) || step.end === Infinity ? ' ' : '!'} ${formatTime(step.start).padStart(9)} – ${formatTime(step.end).padStart(9)} ms  ${step.label}`,
  );
  const changes = furthest.filter((step) => step.next(last)[0] !== last).map(({ label }) => label);
  return [
    ...lines,
    `  best order reaches ${JSON.stringify(last)}`,
    ...changes.slice(-8).map((label) => `    … ${label}`),
  ].join('\n');
}

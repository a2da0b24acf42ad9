/**
 * Something that was done to a resource, or seen of it, and what its answer says. Moments are those of one clock, in ms.
 */
export interface Step<State> {
  /** How it is printed: no secret, token or whole share code. */
  readonly label: string;
  /** It took effect after this moment; `-Infinity` for what tells of the past. */
  readonly start: number;
  /** It had taken effect by this moment; `Infinity` for what may take effect whenever it likes, or never. */
  readonly end: number;
  /** The states that it can lead to from a state, given its answer: none when that could not have been answered there. */
  next(state: State): readonly State[];
}

/** What a resource may do by itself, and how two of its states are known to be the same. */
export interface Model<State> {
  readonly initial: State;
  /** States that it may go over into without anybody asking. */
  internal?(state: State): readonly State[];
}

export interface Explanation<State> {
  /** Steps in an order that explains all answers; undefined when there is none. */
  readonly order: readonly Step<State>[] | undefined;
  /** Of all orders that were tried the one that explains most. */
  readonly furthest: readonly Step<State>[];
  /** The state after `order` or, without one, after `furthest`. */
  readonly last: State;
  /** How many situations were looked at. */
  readonly searched: number;
}

/** A situation of the search: what has been ordered, and what is left. */
interface Situation<State> {
  readonly state: State;
  readonly left: readonly Step<State>[];
  readonly order: readonly Step<State>[];
}

/** What may come next: it began before everything that is left had ended. */
function enabled<State>(left: readonly Step<State>[]): readonly Step<State>[] {
  const firstEnd = left.reduce((least, { end }) => Math.min(least, end), Infinity);
  return left.filter(({ start }) => start <= firstEnd);
}

/**
 * Takes all that may come next and changes nothing. It never has to wait: without it everything else is as free as before,
 * and by the models a step that changes nothing in a state can't change anything later.
 */
function withoutReads<State>(situation: Situation<State>): Situation<State> {
  const { state } = situation;
  let { left, order } = situation;
  for (;;) {
    const reads = new Set(
      enabled(left).filter((step) => {
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
 * Looks for an order of steps that explains every answer and in which whatever ended before something else began comes
 * before it: linearisability as Herlihy and Wing define it, by the search of Wing and Gong with Lowe's memory of
 * situations ("Testing for linearizability", 2017). Steps with an open end may be left out.
 * @param steps of one resource, in any order
 */
export function explain<State>(steps: readonly Step<State>[], model: Model<State>): Explanation<State> {
  const numbers = new Map(steps.map((step, index) => [step, index]));
  const known = new Set<string>();
  let furthest: Situation<State> = { state: model.initial, left: steps, order: [] };
  const waiting: Situation<State>[] = [furthest];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const situation = withoutReads(next);
    const { state, left, order } = situation;
    const name = JSON.stringify([state, left.map((step) => numbers.get(step))]);
    if (known.has(name)) continue;
    known.add(name);
    if (order.length > furthest.order.length) furthest = situation;
    if (left.every(({ end }) => end === Infinity)) return { order, furthest: order, last: state, searched: known.size };
    for (const after of model.internal?.(state) ?? []) waiting.push({ state: after, left, order });
    for (const step of enabled(left)) {
      const without = left.filter((other) => other !== step);
      for (const after of step.next(state)) waiting.push({ state: after, left: without, order: [...order, step] });
    }
  }
  return { order: undefined, furthest: furthest.order, last: furthest.state, searched: known.size };
}

/** A history as text, in the order of beginning; what no order explains is marked. Moments are since the first one. */
export function printHistory<State>(
  steps: readonly Step<State>[],
  { order, furthest, last }: Explanation<State>,
): string {
  const sorted = steps.toSorted((one, other) => one.start - other.start || one.end - other.end);
  const origin = sorted.find(({ start }) => Number.isFinite(start))?.start ?? 0;
  const moment = (at: number) => (Number.isFinite(at) ? (at - origin).toFixed(1) : at < 0 ? '…' : '…');
  const explained = new Set(order ?? furthest);
  const lines = sorted.map(
    (step) =>
      `  ${explained.has(step) || step.end === Infinity ? ' ' : '!'} ${moment(step.start).padStart(9)} – ${moment(step.end).padStart(9)} ms  ${step.label}`,
  );
  const way = furthest.filter((step) => step.next(last)[0] !== last).map(({ label }) => label);
  return [
    ...lines,
    `  best order reaches ${JSON.stringify(last)}`,
    ...way.slice(-8).map((label) => `    … ${label}`),
  ].join('\n');
}

/** Elements that one instance processes at the same time; also bounds open requests. */
const MAX_CONCURRENCY = 50;

/**
 * Runs `run` for each element, with one bound on concurrency for all lists that are processed at the same time.
 * @throws the first error of `run`, after every element has been processed
 */
export const withConcurrency = <Element>(
  elements: readonly Element[],
  run: (element: Element) => Promise<unknown>,
): Promise<void> => allSettled(elements.map((element) => withPermit(() => run(element))));

let permits = MAX_CONCURRENCY;
const waiting: (() => void)[] = [];

/** Waits for a permit before `work` begins, so that a socket's timeout does not run while it waits. */
async function withPermit(work: () => Promise<unknown>): Promise<void> {
  if (permits > 0) permits -= 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else permits += 1;
  }
}

/**
 * Waits until every promise is settled, so that nothing still runs after the caller has got an error.
 * @throws the first of their errors, after all have settled
 */
export async function allSettled(promises: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(promises);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}

/** The results of those that succeeded. */
export async function fulfilled<Value>(promises: readonly Promise<Value>[]): Promise<Value[]> {
  const outcomes = await Promise.allSettled(promises);
  return outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

/**
 * Makes a read run once per key; concurrent callers share one read, and its error. Nothing expires, so use it for one batch
 * only.
 */
export function memoise<Input, Value>(
  read: (input: Input) => Promise<Value>,
  keyOf: (input: Input) => string,
): (input: Input) => Promise<Value> {
  const reads = new Map<string, Promise<Value>>();
  return (input) => {
    const reading = reads.get(keyOf(input)) ?? read(input);
    reads.set(keyOf(input), reading);
    return reading;
  };
}

import { allSettled } from './delivery/all-settled';

/** Elements that one instance processes at the same time; also bounds open requests. */
const MAX_CONCURRENCY = 50;

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
 * Runs `run` for each element, with one bound on concurrency for all lists that are processed at the same time.
 * @throws the first error of `run`, after every element has been processed
 */
export const withConcurrency = <Element>(
  elements: readonly Element[],
  run: (element: Element) => Promise<unknown>,
): Promise<void> => allSettled(elements.map((element) => withPermit(() => run(element))));

import { allSettled } from './all-settled';

/** Sockets that one instance serves at the same time; also bounds what waits for an answer. */
const AT_ONCE = 50;

let places = AT_ONCE;
const waiting: (() => void)[] = [];

/** Waits for a place, so that the time a socket is given begins when it is its turn. */
async function inTurn(work: () => Promise<unknown>): Promise<void> {
  if (places > 0) places -= 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else places += 1;
  }
}

/**
 * Serves every element, a bounded number at the same time, however many lists are being served.
 * @throws the first of the errors that `serve` threw, once every element has been served
 */
export const withConcurrency = <Element>(
  elements: readonly Element[],
  serve: (element: Element) => Promise<unknown>,
): Promise<void> => allSettled(elements.map((element) => inTurn(() => serve(element))));

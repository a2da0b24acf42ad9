/** Asynchronous invocation: Lambda developer guide, "How Lambda handles errors and retries with asynchronous invocation". */
import { FunctionError, TooManyRequests, type Lambda } from '.';

/** Lambda waits a minute before the second attempt and two before the third. */
const RETRY_DELAYS_MS = [60_000, 120_000];
/** A throttled event comes back after a second, then twice as late each time, up to five minutes. */
const FIRST_THROTTLED_MS = 1000;
const LONGEST_THROTTLED_MS = 300_000;
/** Calls under way; further ones are not taken, so that a flood of events does not fill the memory. */
const MAX_UNDER_WAY = 10_000;

export interface LaterCalls {
  /** Calls a function in the background, up to three times until it succeeds; false when too many calls are under way. */
  call(functionArn: string, event: unknown): boolean;
  /** Starts no further attempt, and resolves when those under way have ended. */
  end(): Promise<void>;
}

/** `log` takes a line for every call that is given up. */
export function createLaterCalls(
  lambda: Pick<Lambda, 'invoke'> & Partial<Pick<Lambda, 'eventLimitsOf'>>,
  log: (line: string) => void,
  retryDelaysMs: readonly number[] = RETRY_DELAYS_MS,
): LaterCalls {
  const underWay = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  let ended = false;

  function attempt(functionArn: string, event: unknown, retries: number, throttled = 0): void {
    const call = lambda
      .invoke(functionArn, event)
      .then(
        () => undefined,
        (error: unknown) => {
          if (!(error instanceof TooManyRequests)) retry(functionArn, event, retries, error);
          else if (!ended) comeBack(functionArn, event, retries, throttled);
        },
      )
      .finally(() => underWay.delete(call));
    underWay.add(call);
  }

  function retry(functionArn: string, event: unknown, retries: number, error: unknown): void {
    const { MaximumRetryAttempts = retryDelaysMs.length } = lambda.eventLimitsOf?.(functionArn) ?? {};
    const delay = retries < MaximumRetryAttempts ? retryDelaysMs[retries] : undefined;
    if (delay === undefined || ended) {
      log(`${functionArn} was given up: ${error instanceof FunctionError ? error.type : String(error)}`);
      return;
    }
    later(delay, () => attempt(functionArn, event, retries + 1));
  }

  /** The function was not reached, so it is no attempt. */
  function comeBack(functionArn: string, event: unknown, retries: number, throttled: number): void {
    const delay = Math.min(FIRST_THROTTLED_MS * 2 ** throttled, LONGEST_THROTTLED_MS);
    later(delay, () => attempt(functionArn, event, retries, throttled + 1));
  }

  function later(delay: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, delay).unref();
    timers.add(timer);
  }

  return {
    call(functionArn, event) {
      const isTaken = underWay.size + timers.size < MAX_UNDER_WAY && !ended;
      if (isTaken) attempt(functionArn, event, 0);
      else log(`${functionArn} was not called: too many calls are under way`);
      return isTaken;
    },
    async end() {
      ended = true;
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      await Promise.all(underWay);
    },
  };
}

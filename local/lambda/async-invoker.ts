/** Asynchronous invocation: Lambda developer guide, "How Lambda handles errors and retries with asynchronous invocation". */
import { FunctionError, TooManyRequests, type Lambda } from '.';

/** Lambda waits one minute before the second attempt and two before the third. */
const RETRY_DELAYS_MS = [60_000, 120_000];
/** A throttled event is retried after a second, with a delay that doubles up to five minutes. */
const FIRST_THROTTLE_DELAY_MS = 1000;
const MAX_THROTTLE_DELAY_MS = 300_000;
/** Maximum number of running and waiting invocations; further ones are refused to bound memory. */
const MAX_PENDING = 10_000;

export interface AsyncInvoker {
  /** Invokes a function in the background, up to three times until it succeeds. @returns false when too many are pending */
  invoke(functionArn: string, event: unknown): boolean;
  /** Cancels retries, and resolves when the running invocations have ended. */
  stop(): Promise<void>;
}

/** `log` receives a line for each event that failed on all attempts or was refused. */
export function createAsyncInvoker(
  lambda: Pick<Lambda, 'invoke'> & Partial<Pick<Lambda, 'eventLimitsOf'>>,
  log: (line: string) => void,
  retryDelaysMs: readonly number[] = RETRY_DELAYS_MS,
): AsyncInvoker {
  const running = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  let stopped = false;

  function attempt(functionArn: string, event: unknown, retries: number, throttled = 0): void {
    const invoke = lambda
      .invoke(functionArn, event)
      .then(
        () => undefined,
        (error: unknown) => {
          if (!(error instanceof TooManyRequests)) retry(functionArn, event, retries, error);
          else if (!stopped) retryThrottled(functionArn, event, retries, throttled);
        },
      )
      .finally(() => running.delete(invoke));
    running.add(invoke);
  }

  function retry(functionArn: string, event: unknown, retries: number, error: unknown): void {
    const { MaximumRetryAttempts = retryDelaysMs.length } = lambda.eventLimitsOf?.(functionArn) ?? {};
    const delay = retries < MaximumRetryAttempts ? retryDelaysMs[retries] : undefined;
    if (delay === undefined || stopped) {
      log(`${functionArn} failed, no more retries: ${error instanceof FunctionError ? error.type : String(error)}`);
      return;
    }
    schedule(delay, () => attempt(functionArn, event, retries + 1));
  }

  /** A throttled invocation did not reach the function, so it does not count as an attempt. */
  function retryThrottled(functionArn: string, event: unknown, retries: number, throttled: number): void {
    const delay = Math.min(FIRST_THROTTLE_DELAY_MS * 2 ** throttled, MAX_THROTTLE_DELAY_MS);
    schedule(delay, () => attempt(functionArn, event, retries, throttled + 1));
  }

  function schedule(delay: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, delay).unref();
    timers.add(timer);
  }

  return {
    invoke(functionArn, event) {
      const isAccepted = running.size + timers.size < MAX_PENDING && !stopped;
      if (isAccepted) attempt(functionArn, event, 0);
      else log(`${functionArn} was not invoked: too many invocations are pending`);
      return isAccepted;
    },
    async stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      await Promise.all(running);
    },
  };
}

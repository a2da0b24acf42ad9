/** Asynchronous invocation: Lambda developer guide, "How Lambda handles errors and retries with asynchronous invocation". */
import { randomUUID } from 'node:crypto';
import { noFaults, type Faults } from '../faults';
import type { Sqs } from '../sqs';
import { FunctionError, RecursiveInvocation, TooManyRequests, type Lambda } from '.';

/** Lambda waits one minute before the second attempt and two before the third. */
const RETRY_DELAYS_MS = [60_000, 120_000];
/** A throttled event is retried after a second, with a delay that doubles up to five minutes. */
const FIRST_THROTTLE_DELAY_MS = 1000;
const MAX_THROTTLE_DELAY_MS = 300_000;
/** How old an event may become, in s. */
const MAX_AGE_S = 6 * 3600;
/** Maximum number of running and waiting invocations; further ones are refused to bound memory. */
const MAX_PENDING = 10_000;
/** Of an error message in the dead-letter queue. */
const MAX_MESSAGE_LENGTH = 1024;
/** Time for running invocations to end at a stop. */
const STOP_TIMEOUT_MS = 2000;

export interface AsyncInvoker {
  /** Invokes a function in the background, up to three times until it succeeds. @returns false when too many are pending */
  invoke(functionArn: string, event: unknown): boolean;
  /** Cancels retries, and resolves when the running invocations have ended, after two seconds at the latest. */
  stop(): Promise<void>;
}

export interface AsyncInvokerOptions {
  readonly lambda: Pick<Lambda, 'invoke'> & Partial<Pick<Lambda, 'eventLimitsOf' | 'deadLetterQueueOf' | 'publishAge'>>;
  /** Dead-letter queues of functions. Default: none. */
  readonly sqs?: Pick<Sqs, 'send'> | undefined;
  /** Default: none. */
  readonly faults?: Pick<Faults, 'retryDelayMs'> | undefined;
  /** Receives a line for each event that failed for good or was refused. */
  log(line: string): void;
  /** Delays before the second and the third attempt. */
  readonly retryDelaysMs?: readonly number[] | undefined;
}

/** An event and the attempts so far. */
interface Invocation {
  readonly functionArn: string;
  readonly event: unknown;
  /** When it was accepted, Unix ms. */
  readonly since: number;
  readonly retries: number;
  readonly throttled: number;
}

export function createAsyncInvoker({
  lambda,
  sqs,
  faults = noFaults,
  log,
  ...options
}: AsyncInvokerOptions): AsyncInvoker {
  const { retryDelaysMs = RETRY_DELAYS_MS } = options;
  const running = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  let stopped = false;

  function attempt(invocation: Invocation): void {
    lambda.publishAge?.(invocation.functionArn, 'AsyncEventAge', Date.now() - invocation.since);
    const invoke = lambda
      .invoke(invocation.functionArn, invocation.event)
      .then(
        () => undefined,
        (error: unknown) => {
          if (!(error instanceof TooManyRequests)) retry(invocation, error);
          else if (!stopped) retryThrottled(invocation, error);
        },
      )
      .finally(() => running.delete(invoke));
    running.add(invoke);
  }

  const limitsOf = (functionArn: string) => lambda.eventLimitsOf?.(functionArn) ?? {};

  function retry(invocation: Invocation, error: unknown): void {
    const { functionArn, retries } = invocation;
    const { MaximumRetryAttempts = retryDelaysMs.length } = limitsOf(functionArn);
    const mayRetry = retries < MaximumRetryAttempts && !(error instanceof RecursiveInvocation) && !stopped;
    const delay = mayRetry ? retryDelaysMs[retries] : undefined;
    if (delay === undefined) discard(invocation, error);
    else schedule({ ...invocation, retries: retries + 1 }, faults.retryDelayMs(delay), error);
  }

  /** A throttled invocation did not reach the function, so it does not count as an attempt. */
  function retryThrottled(invocation: Invocation, error: TooManyRequests): void {
    const { throttled } = invocation;
    const delay = Math.min(FIRST_THROTTLE_DELAY_MS * 2 ** throttled, MAX_THROTTLE_DELAY_MS);
    schedule({ ...invocation, throttled: throttled + 1 }, delay, error);
  }

  function schedule(invocation: Invocation, delay: number, error: unknown): void {
    const { MaximumEventAgeInSeconds = MAX_AGE_S } = limitsOf(invocation.functionArn);
    if (Date.now() + delay - invocation.since > MaximumEventAgeInSeconds * 1000) {
      discard(invocation, error);
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(timer);
      attempt(invocation);
    }, delay).unref();
    timers.add(timer);
  }

  /** Sends the event to the function's dead-letter queue, if it has one: the body is the event, unchanged. At stop it is lost. */
  function discard({ functionArn, event }: Invocation, error: unknown): void {
    log(`${functionArn} failed, no more retries: ${error instanceof FunctionError ? error.type : String(error)}`);
    const queueArn = lambda.deadLetterQueueOf?.(functionArn);
    if (queueArn === undefined || stopped) return;
    const message = (error instanceof Error ? error.message : String(error)).slice(0, MAX_MESSAGE_LENGTH);
    sqs?.send(queueArn, JSON.stringify(event), {
      RequestID: { DataType: 'String', StringValue: randomUUID() },
      ErrorCode: { DataType: 'Number', StringValue: error instanceof TooManyRequests ? '429' : '200' },
      ErrorMessage: { DataType: 'String', StringValue: message || 'unknown' },
    });
  }

  return {
    invoke(functionArn, event) {
      const isAccepted = running.size + timers.size < MAX_PENDING && !stopped;
      if (isAccepted) attempt({ functionArn, event, since: Date.now(), retries: 0, throttled: 0 });
      else log(`${functionArn} was not invoked: too many invocations are pending`);
      return isAccepted;
    },
    async stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, STOP_TIMEOUT_MS)));
      await Promise.race([Promise.all(running), late]);
      clearTimeout(timer);
    },
  };
}

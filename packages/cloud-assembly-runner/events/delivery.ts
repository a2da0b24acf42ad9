/**
 * Delivers events to targets: EventBridge user guide, "How EventBridge retries delivering events" and "Using
 * dead-letter queues". An event is delivered to a function when Lambda has accepted the asynchronous invocation: a
 * later failure of the function never reaches the rule's dead-letter queue.
 */
import type { Lambda } from '../lambda';
import type { AsyncInvoker } from '../lambda/async-invoker';
import type { Sqs } from '../sqs';
import type { Rule, Target } from './rules';

export interface DeliveryOptions {
  readonly lambda: Pick<Lambda, 'permits'>;
  readonly calls: Pick<AsyncInvoker, 'invoke'>;
  readonly sqs: Pick<Sqs, 'send' | 'queue' | 'permits'>;
  /** Writes a line for each discarded event; lines contain no events. */
  log(line: string): void;
  /** Delay before the next retry, after `retries` retries. */
  retryDelayMs?(retries: number): number;
}

/** Why an event could not be delivered. */
interface Failure {
  readonly code: string;
  readonly message: string;
  /** Whether a retry may succeed. */
  readonly retryable: boolean;
}

export interface Delivery {
  /** Delivers an event asynchronously, with retries. */
  deliver(rule: Rule, target: Target, event: unknown): void;
  /** Cancels pending retries. */
  stop(): void;
}

const SERVICE = 'events.amazonaws.com';
const MAX_RETRY_DELAY_MS = 60_000;

/** Exponential, with jitter, so that retries don't all happen at the same moment. */
const backOff = (retries: number) => Math.min(1000 * 2 ** retries, MAX_RETRY_DELAY_MS) * (0.5 + Math.random() / 2);

export function createDelivery(options: DeliveryOptions): Delivery {
  const { lambda, calls, sqs, log, retryDelayMs = backOff } = options;
  const timers = new Set<NodeJS.Timeout>();

  function attempt(rule: Rule, target: Target, event: unknown, since: number, retries: number): void {
    const failure = failureOf(rule, target, event);
    if (!failure) return;
    const exhausted = exhaustedIn(target, since, retries);
    if (!failure.retryable || exhausted) {
      discard(rule, target, event, {
        ERROR_CODE: failure.code,
        ERROR_MESSAGE: failure.message,
        RETRY_ATTEMPTS: String(retries),
        ...(failure.retryable && exhausted && { EXHAUSTED_RETRY_CONDITION: exhausted }),
      });
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(timer);
      attempt(rule, target, event, since, retries + 1);
    }, retryDelayMs(retries)).unref();
    timers.add(timer);
  }

  function failureOf(rule: Rule, target: Target, event: unknown): Failure | undefined {
    if (target.isElsewhere) {
      return { code: 'NO_RESOURCE', message: 'its account is not on this machine', retryable: false };
    }
    const input = target.inputOf(event);
    return target.arn.includes(':sqs:') ? enqueue(rule, target.arn, input) : call(rule, target.arn, input);
  }

  function call(rule: Rule, functionArn: string, input: unknown): Failure | undefined {
    if (!lambda.permits(functionArn, SERVICE, rule.arn)) {
      const message = `no AWS::Lambda::Permission allows ${rule.arn} to invoke ${functionArn}`;
      return { code: 'NO_PERMISSIONS', message, retryable: false };
    }
    if (calls.invoke(functionArn, input)) return undefined;
    return { code: 'THROTTLING', message: `too many concurrent calls of ${functionArn}`, retryable: true };
  }

  function enqueue(rule: Rule, queueArn: string, input: unknown): Failure | undefined {
    const queue = sqs.queue(queueArn);
    if (!queue) return { code: 'NO_RESOURCE', message: `there is no queue ${queueArn}`, retryable: false };
    if (!sqs.permits(queueArn, SERVICE, rule.arn)) {
      const message = `no policy of the queue allows ${rule.arn} to send to ${queueArn}`;
      return { code: 'NO_PERMISSIONS', message, retryable: false };
    }
    const body = JSON.stringify(input ?? null);
    if (Buffer.byteLength(body) > queue.maxBytes) {
      const message = `the event exceeds the limit of ${queue.maxBytes} bytes of ${queueArn}`;
      return { code: 'SDK_CLIENT_ERROR', message, retryable: false };
    }
    sqs.send(queueArn, body);
    return undefined;
  }

  function discard(rule: Rule, target: Target, event: unknown, reason: Readonly<Record<string, string>>): void {
    log(`${rule.arn} could not deliver an event to ${target.arn}: ${reason['ERROR_MESSAGE']}`);
    const { deadLetterArn } = target;
    if (deadLetterArn === undefined) return;
    if (!sqs.queue(deadLetterArn) || !sqs.permits(deadLetterArn, SERVICE, rule.arn)) {
      log(`${rule.arn} may not send to ${deadLetterArn}, so the event is lost`);
      return;
    }
    const attributes = Object.entries({ RULE_ARN: rule.arn, TARGET_ARN: target.arn, ...reason });
    const values = attributes.map(([name, StringValue]) => [name, { DataType: 'String', StringValue }] as const);
    sqs.send(deadLetterArn, JSON.stringify(event), Object.fromEntries(values));
  }

  return {
    deliver: (rule, target, event) => attempt(rule, target, event, Date.now(), 0),
    stop() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

/** The limit of the retry policy that was reached. */
function exhaustedIn({ maxRetries, maxAgeMs }: Target, since: number, retries: number): string | undefined {
  if (retries >= maxRetries) return 'MaximumRetryAttempts';
  return Date.now() - since >= maxAgeMs ? 'MaximumEventAgeInSeconds' : undefined;
}

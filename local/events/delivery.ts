/**
 * From a rule to a target: EventBridge user guide, "How EventBridge retries delivering events" and "Using dead-letter
 * queues". An event is delivered to a function when Lambda has taken it: what the function makes of it is Lambda's affair,
 * and never comes to the dead-letter queue of the rule.
 */
import type { Lambda } from '../lambda';
import type { LaterCalls } from '../lambda/later-calls';
import type { Sqs } from '../sqs';
import type { Rule, Target } from './rule';

export interface DeliveryOptions {
  readonly lambda: Pick<Lambda, 'permits'>;
  readonly calls: Pick<LaterCalls, 'call'>;
  readonly sqs: Pick<Sqs, 'send' | 'queue' | 'permits'>;
  /** Takes a line for each event that is given up; no line holds an event. */
  log(line: string): void;
  /** How long to wait before a retry, of which there were `retries` so far. */
  retryDelayMs?(retries: number): number;
}

/** Why a target did not get an event. */
interface Failure {
  readonly code: string;
  readonly message: string;
  /** Whether it may work out another time. */
  readonly passes: boolean;
}

export interface Delivery {
  /** Brings an event to a target, at once or later. */
  deliver(rule: Rule, target: Target, event: unknown): void;
  /** Tries nothing again. */
  end(): void;
}

const SERVICE = 'events.amazonaws.com';
const LONGEST_DELAY_MS = 60_000;

/** Doubles, and differs for each, so that not all come back at the same moment. */
const backOff = (retries: number) => Math.min(1000 * 2 ** retries, LONGEST_DELAY_MS) * (0.5 + Math.random() / 2);

export function createDelivery(options: DeliveryOptions): Delivery {
  const { lambda, calls, sqs, log, retryDelayMs = backOff } = options;
  const timers = new Set<NodeJS.Timeout>();

  function attempt(rule: Rule, target: Target, event: unknown, since: number, retries: number): void {
    const failure = failureOf(rule, target, event);
    if (!failure) return;
    const exhausted = exhaustedIn(target, since, retries);
    if (!failure.passes || exhausted) {
      giveUp(rule, target, event, {
        ...{ ERROR_CODE: failure.code, ERROR_MESSAGE: failure.message, RETRY_ATTEMPTS: String(retries) },
        ...(failure.passes && exhausted && { EXHAUSTED_RETRY_CONDITION: exhausted }),
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
    const input = target.inputOf(event);
    return target.arn.includes(':sqs:') ? enqueue(rule, target.arn, input) : call(rule, target.arn, input);
  }

  function call(rule: Rule, functionArn: string, input: unknown): Failure | undefined {
    if (!lambda.permits(functionArn, SERVICE, rule.arn)) {
      const message = `no AWS::Lambda::Permission lets ${rule.arn} invoke ${functionArn}`;
      return { code: 'NO_PERMISSIONS', message, passes: false };
    }
    if (calls.call(functionArn, input)) return undefined;
    return { code: 'THROTTLING', message: `too many calls of ${functionArn} are under way`, passes: true };
  }

  function enqueue(rule: Rule, queueArn: string, input: unknown): Failure | undefined {
    const queue = sqs.queue(queueArn);
    if (!queue) return { code: 'NO_RESOURCE', message: `there is no queue ${queueArn}`, passes: false };
    if (!sqs.permits(queueArn, SERVICE, rule.arn)) {
      const message = `no AWS::SQS::QueuePolicy lets ${rule.arn} send to ${queueArn}`;
      return { code: 'NO_PERMISSIONS', message, passes: false };
    }
    const body = JSON.stringify(input ?? null);
    if (Buffer.byteLength(body) > queue.maxBytes) {
      const message = `the event is longer than the ${queue.maxBytes} bytes that ${queueArn} takes`;
      return { code: 'SDK_CLIENT_ERROR', message, passes: false };
    }
    queue.send(body);
    return undefined;
  }

  function giveUp(rule: Rule, target: Target, event: unknown, reason: Readonly<Record<string, string>>): void {
    log(`${rule.arn} could not bring an event to ${target.arn}: ${reason['ERROR_MESSAGE']}`);
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
    end() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

/** The condition of the retry policy that lets no further attempt happen. */
function exhaustedIn({ maxRetries, maxAgeMs }: Target, since: number, retries: number): string | undefined {
  if (retries >= maxRetries) return 'MaximumRetryAttempts';
  return Date.now() - since >= maxAgeMs ? 'MaximumEventAgeInSeconds' : undefined;
}

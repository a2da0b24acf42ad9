import { setTimeout as pause } from 'node:timers/promises';
import type { Meter } from '../billing/meter';
import { FunctionError, TooManyRequests } from '../lambda';
import { parseScheduleExpression } from './expression';
import type { StoredSchedule } from './schedule';

/** Lambda retries an asynchronous invocation after one minute and then after two. */
const RETRY_DELAYS_MS = [60_000, 120_000];
const THROTTLE_RETRY_MS = 1000;
/** Interval at which the clock is read: timers don't notice when it is set or when a laptop slept. */
const CLOCK_CHECK_MS = 1000;

export interface TimersOptions {
  /** Invokes a function, or sends a message to a queue. @throws TooManyRequests when it is to be repeated soon */
  deliver(target: StoredSchedule['Target'], event: unknown): Promise<unknown>;
  /** Why the target may not be called; undefined when it may. */
  denialReason(schedule: StoredSchedule): string | undefined;
  /** Event for the target. */
  eventOf(schedule: StoredSchedule): unknown;
  /** Called when the target has failed with an event on all attempts. */
  onFailure(targetArn: string, event: unknown): void;
  /** Called when a one-time schedule has run, successfully or not. */
  onCompleted(schedule: StoredSchedule): void;
  log(line: string): void;
  readonly retryDelaysMs?: readonly number[];
  readonly meter: Pick<Meter, 'charge'>;
}

export interface Timers {
  /**
   * Sets a timer for the first due time of a schedule from `now` (Unix ms), in place of the timer with the same key.
   * A rate schedule runs at once when it is created (user guide, "Rate-based schedules").
   */
  set(key: string, schedule: StoredSchedule, now?: number): void;
  clear(key: string): void;
  /** Clears all timers and stops retries. */
  end(): void;
}

/** Invokes targets when their schedules are due, asynchronously: a slow target delays no other. */
export function createTimers(options: TimersOptions): Timers {
  const { log, retryDelaysMs = RETRY_DELAYS_MS } = options;
  const timers = new Map<string, NodeJS.Timeout>();
  const ending = new AbortController();

  function wait(key: string, schedule: StoredSchedule, due: number, everyMs?: number): void {
    const fire = () => {
      timers.delete(key);
      const now = Date.now();
      // A clock that was set back must not lengthen an interval of a rate.
      const isFar = everyMs !== undefined && due - now > everyMs;
      if (due > now) {
        wait(key, schedule, isFar ? nextDue(now, due, everyMs) : due, everyMs);
        return;
      }
      // Runs missed while the clock jumped are made up for by one run.
      if (everyMs !== undefined) wait(key, schedule, nextDue(now + 1, due, everyMs), everyMs);
      void call(schedule).then((isOver) => {
        if (isOver && everyMs === undefined) options.onCompleted(schedule);
      });
    };
    const left = Math.min(due - Date.now(), CLOCK_CHECK_MS);
    timers.set(key, setTimeout(fire, Math.max(0, left)).unref());
  }

  /** Resolves to true when the run has succeeded or failed for good, to false when it was interrupted by a stop. */
  async function call(schedule: StoredSchedule): Promise<boolean> {
    const denialReason = options.denialReason(schedule);
    if (denialReason !== undefined) {
      log(`schedule ${schedule.Name}: ${denialReason}`);
      return true;
    }
    options.meter.charge(schedule.Target.Arn.split(':').at(-1) ?? '', { 'scheduler:invocations': 1 });
    const event = options.eventOf(schedule);
    for (const delay of [undefined, ...retryDelaysMs]) {
      if (delay !== undefined && !(await pauseUnlessStopped(delay))) return false;
      const failure = await failureOf(deliverWhenAdmitted(schedule, event));
      if (failure === undefined) return true;
      // Stopping the functions fails the call too; it is repeated at the next start.
      if (ending.signal.aborted) return false;
      log(`schedule ${schedule.Name}: ${schedule.Target.Arn} failed: ${failure}`);
    }
    options.onFailure(schedule.Target.Arn, event);
    return true;
  }

  /** Delivers the event, and again after each throttle: a throttled call does not count as an attempt. */
  async function deliverWhenAdmitted({ Target }: StoredSchedule, event: unknown): Promise<unknown> {
    for (;;) {
      try {
        return await options.deliver(Target, event);
      } catch (error) {
        if (!(error instanceof TooManyRequests) || !(await pauseUnlessStopped(THROTTLE_RETRY_MS))) throw error;
      }
    }
  }

  function pauseUnlessStopped(ms: number): Promise<boolean> {
    return pause(ms, true, { signal: ending.signal, ref: false }).catch(() => false);
  }

  const clear = (key: string) => {
    clearTimeout(timers.get(key));
    timers.delete(key);
  };

  return {
    clear,
    set(key, schedule, now = Date.now()) {
      clear(key);
      const timing = parseScheduleExpression(schedule.ScheduleExpression);
      if (!timing || schedule.State === 'DISABLED' || schedule.onCompleted) return;
      if ('at' in timing) {
        wait(key, schedule, timing.at);
      } else {
        const beginning = Math.round(schedule.CreationDate * 1000);
        wait(key, schedule, nextDue(now, beginning, timing.everyMs), timing.everyMs);
      }
    },
    end() {
      ending.abort();
      for (const key of [...timers.keys()]) clear(key);
    },
  };
}

/** The first time at or after `now` that is a whole number of intervals after `beginning`. */
function nextDue(now: number, beginning: number, everyMs: number): number {
  return beginning + Math.ceil((now - beginning) / everyMs) * everyMs;
}

function failureOf(call: Promise<unknown>): Promise<string | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => (error instanceof FunctionError ? error.type : String(error)),
  );
}

import { setTimeout as pause } from 'node:timers/promises';
import { FunctionError, TooManyRequests, type Lambda } from '../lambda';
import { parseScheduleExpression } from './expression';
import type { KeptSchedule } from './schedule';

/** Lambda tries an asynchronous invocation again after one minute and then after two. */
const RETRY_DELAYS_MS = [60_000, 120_000];
const THROTTLED_MS = 1000;
/** The clock is looked at so often: it may be set, or go on while a laptop sleeps, and timers notice neither. */
const LOOK_AGAIN_MS = 1000;

export interface TimersOptions {
  readonly lambda: Pick<Lambda, 'invoke'>;
  /** Why the target can't be called; nothing when it can. */
  refusal(schedule: KeptSchedule): string | undefined;
  /** The event that its target gets. */
  eventOf(schedule: KeptSchedule): unknown;
  /** Is told of an event with which a function has failed for good. */
  gaveUp(functionArn: string, event: unknown): void;
  /** Is told when a one-time schedule is over: carried out, or given up. */
  completed(schedule: KeptSchedule): void;
  log(line: string): void;
  readonly retryDelaysMs?: readonly number[];
}

export interface Timers {
  /**
   * Waits for the next time after `now` (Unix ms) that a schedule is due; what was set for its key before is forgotten.
   * A rate begins at once when its schedule is created (user guide, "Rate-based schedules").
   */
  set(key: string, schedule: KeptSchedule, now?: number): void;
  clear(key: string): void;
  /** Forgets all, and tries nothing again. */
  end(): void;
}

/** Calls targets when it is time. Targets are called asynchronously: a slow one keeps nobody waiting. */
export function createTimers(options: TimersOptions): Timers {
  const { lambda, log, retryDelaysMs = RETRY_DELAYS_MS } = options;
  const timers = new Map<string, NodeJS.Timeout>();
  const ending = new AbortController();

  function wait(key: string, schedule: KeptSchedule, due: number, everyMs?: number): void {
    const fire = () => {
      timers.delete(key);
      const now = Date.now();
      // Of a rate, no interval is longer for a clock that was set back.
      const isFar = everyMs !== undefined && due - now > everyMs;
      if (due > now) {
        wait(key, schedule, isFar ? nextFrom(now, due, everyMs) : due, everyMs);
        return;
      }
      // What has been missed while the clock jumped is made up for once.
      if (everyMs !== undefined) wait(key, schedule, nextFrom(now + 1, due, everyMs), everyMs);
      void call(schedule).then((isOver) => {
        if (isOver && everyMs === undefined) options.completed(schedule);
      });
    };
    const left = Math.min(due - Date.now(), LOOK_AGAIN_MS);
    timers.set(key, setTimeout(fire, Math.max(0, left)).unref());
  }

  /** Resolves to whether it is over: succeeded or given up, not broken off. */
  async function call(schedule: KeptSchedule): Promise<boolean> {
    const refusal = options.refusal(schedule);
    if (refusal !== undefined) {
      log(`schedule ${schedule.Name}: ${refusal}`);
      return true;
    }
    const event = options.eventOf(schedule);
    for (const delay of [undefined, ...retryDelaysMs]) {
      if (delay !== undefined && !(await waited(delay))) return false;
      const failure = await failureOf(reached(schedule.Target.Arn, event));
      if (failure === undefined) return true;
      // Stopping the functions fails it too, and it is to be called again at the next start.
      if (ending.signal.aborted) return false;
      log(`schedule ${schedule.Name}: ${schedule.Target.Arn} failed: ${failure}`);
    }
    options.gaveUp(schedule.Target.Arn, event);
    return true;
  }

  /** Scheduler comes back to what Lambda does not take; such a call is no attempt of the function. */
  async function reached(functionArn: string, event: unknown): Promise<unknown> {
    for (;;) {
      try {
        return await lambda.invoke(functionArn, event);
      } catch (error) {
        if (!(error instanceof TooManyRequests) || !(await waited(THROTTLED_MS))) throw error;
      }
    }
  }

  function waited(ms: number): Promise<boolean> {
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
      if (!timing || schedule.State === 'DISABLED' || schedule.completed) return;
      if ('at' in timing) {
        wait(key, schedule, timing.at);
      } else {
        const beginning = Math.round(schedule.CreationDate * 1000);
        wait(key, schedule, nextFrom(now, beginning, timing.everyMs), timing.everyMs);
      }
    },
    end() {
      ending.abort();
      for (const key of [...timers.keys()]) clear(key);
    },
  };
}

/** The first moment, not before `now`, that lies a number of intervals after the beginning. */
function nextFrom(now: number, beginning: number, everyMs: number): number {
  return beginning + Math.ceil((now - beginning) / everyMs) * everyMs;
}

function failureOf(call: Promise<unknown>): Promise<string | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => (error instanceof FunctionError ? error.type : String(error)),
  );
}

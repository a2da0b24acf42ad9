import type { Meter } from '../billing/meter';
import { parseScheduleExpression, type StoredSchedule } from './schedule';

/** Interval at which the clock is read: timers don't notice when it is set or when a laptop slept. */
const CLOCK_CHECK_MS = 1000;

export interface TimersOptions {
  /** Hands the event to Lambda or SQS, which accept it at once. @throws Error when the queue does not exist */
  deliver(target: StoredSchedule['Target'], event: unknown): void;
  /** Why the target may not be called; undefined when it may. */
  denialReason(schedule: StoredSchedule): string | undefined;
  /** Event for the target. */
  eventOf(schedule: StoredSchedule): unknown;
  /** Called when a one-time schedule has run: its event was accepted, or its role does not allow the call. */
  onCompleted(schedule: StoredSchedule): void;
  log(line: string): void;
  readonly meter: Pick<Meter, 'charge'>;
}

export interface Timers {
  /**
   * Sets a timer for the first due time of a schedule from `now` (Unix ms), in place of the timer with the same key.
   * A rate schedule runs at once when it is created (user guide, "Rate-based schedules").
   */
  set(key: string, schedule: StoredSchedule, now?: number): void;
  clear(key: string): void;
  /** Clears all timers. */
  end(): void;
}

/** Calls targets when their schedules are due. */
export function createTimers(options: TimersOptions): Timers {
  const timers = new Map<string, NodeJS.Timeout>();

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
      call(schedule);
      if (everyMs === undefined) options.onCompleted(schedule);
    };
    const left = Math.min(due - Date.now(), CLOCK_CHECK_MS);
    timers.set(key, setTimeout(fire, Math.max(0, left)).unref());
  }

  function call(schedule: StoredSchedule): void {
    const denialReason = options.denialReason(schedule);
    if (denialReason !== undefined) {
      options.log(`schedule ${schedule.Name}: ${denialReason}`);
      return;
    }
    options.meter.charge(schedule.Target.Arn.split(':').at(-1) ?? '', { 'scheduler:invocations': 1 });
    try {
      options.deliver(schedule.Target, options.eventOf(schedule));
    } catch (error) {
      options.log(`schedule ${schedule.Name}: ${schedule.Target.Arn} failed: ${String(error)}`);
    }
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
      for (const key of [...timers.keys()]) clear(key);
    },
  };
}

/** The first time at or after `now` that is a whole number of intervals after `beginning`. */
function nextDue(now: number, beginning: number, everyMs: number): number {
  return beginning + Math.ceil((now - beginning) / everyMs) * everyMs;
}

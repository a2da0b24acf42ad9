/** When a schedule is due: at one moment, or again and again after so many milliseconds. */
export type Timing = { readonly at: number } | { readonly everyMs: number };

const MINUTE_MS = 60_000;
const units: Readonly<Record<string, number>> = { minute: MINUTE_MS, hour: 60 * MINUTE_MS, day: 1440 * MINUTE_MS };

/**
 * Reads a schedule expression in UTC (EventBridge Scheduler user guide, "Schedule types"): `at(yyyy-mm-ddThh:mm:ss)` or
 * `rate(value unit)`. Gives nothing for what is none, and for `cron(…)`, which is not played.
 */
export function parseScheduleExpression(text: string): Timing | undefined {
  const [, moment] = /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)$/.exec(text) ?? [];
  if (moment !== undefined) {
    const at = Date.parse(`${moment}Z`);
    // The 30th of February is read as a day in March.
    return Number.isNaN(at) || !new Date(at).toISOString().startsWith(moment) ? undefined : { at };
  }
  const [, value, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(text) ?? [];
  const everyMs = Number(value) * (units[unit] ?? NaN);
  return everyMs > 0 ? { everyMs } : undefined;
}

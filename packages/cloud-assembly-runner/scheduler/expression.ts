/** When a schedule is due: once, at a Unix time in ms, or at an interval. */
export type Timing = { readonly at: number } | { readonly everyMs: number };

const MINUTE_MS = 60_000;
const units: Readonly<Record<string, number>> = { minute: MINUTE_MS, hour: 60 * MINUTE_MS, day: 1440 * MINUTE_MS };

/**
 * Parses a schedule expression in UTC (EventBridge Scheduler user guide, "Schedule types"): `at(yyyy-mm-ddThh:mm:ss)` or
 * `rate(value unit)`. Returns undefined for an invalid one and for `cron(…)`, which is not supported.
 */
export function parseScheduleExpression(text: string): Timing | undefined {
  const [, moment] = /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)$/.exec(text) ?? [];
  if (moment !== undefined) {
    const at = Date.parse(`${moment}Z`);
    // Date.parse takes the 30th of February for a day in March.
    return Number.isNaN(at) || !new Date(at).toISOString().startsWith(moment) ? undefined : { at };
  }
  const [, value, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(text) ?? [];
  const everyMs = Number(value) * (units[unit] ?? NaN);
  return everyMs > 0 ? { everyMs } : undefined;
}

import { until } from '../channels/until';

/** The window of every rate limit: a minute of the clock. */
const minute = () => Math.floor(Date.now() / 60_000);

/** Does what a minute's limits count, again if a minute of the clock ended meanwhile. */
export async function withinAMinute<Result>(act: () => Promise<Result>): Promise<Result> {
  return until('acting within a minute', async () => {
    const begun = minute();
    const result = await act();
    return minute() === begun ? result : undefined;
  });
}

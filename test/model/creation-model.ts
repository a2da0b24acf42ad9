import type { Model, Step } from './explain';
import { groupBy } from './group-by';

/** What is kept under an `Idempotency-Key` of one client and endpoint: what was asked for and answered first. */
export interface KeyState {
  readonly asked?: string;
  readonly answered?: string;
}

export const keyModel: Model<KeyState> = { initial: {} };

/**
 * A creation with a key (design, section 3): the first one creates; the same body gets the first answer, another one 400.
 * @param asked the body
 * @param answered the body of a 201; undefined for a 400
 */
export const createWithKey = (
  window: Pick<Step<KeyState>, 'start' | 'end' | 'label'>,
  asked: string,
  answered: string | undefined,
): Step<KeyState> => ({
  ...window,
  next: (key) => {
    if (key.asked === undefined) return answered === undefined ? [] : [{ asked, answered }];
    const expected = key.asked === asked ? key.answered : undefined;
    return answered === expected ? [key] : [];
  },
});

/** How one call was counted, by its `X-RateLimit-…` headers. */
export interface CountedCall {
  /** Client, endpoint and end of the minute. */
  readonly window: string;
  readonly limit: number;
  readonly remaining: number;
  readonly refused: boolean;
}

/**
 * What is wrong with the counting of calls: in each window every call that is let in has a number of its own, without a gap,
 * and none is refused before the limit is reached (design, section 3: the limits are exact).
 * @param calls all calls of each window
 */
export function limitFaults(calls: readonly CountedCall[]): string[] {
  const windows = groupBy(calls, ({ window }) => window);
  return [...windows].flatMap(([window, counted]) => {
    const limit = counted[0]?.limit ?? 0;
    const letIn = counted.filter(({ refused }) => !refused).map(({ remaining }) => remaining);
    const expected = letIn.map((_, index) => limit - 1 - index);
    const isExact = letIn.toSorted((one, other) => other - one).every((value, index) => value === expected[index]);
    const isRefusedEarly = letIn.length < limit && letIn.length < counted.length;
    return [
      ...(isExact && letIn.length <= limit ? [] : [`${window}: let in with ${letIn.join(', ')} remaining of ${limit}`]),
      ...(isRefusedEarly ? [`${window}: refused after ${letIn.length} of ${limit} calls`] : []),
    ];
  });
}

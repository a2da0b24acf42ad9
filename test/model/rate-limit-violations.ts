import { groupBy } from './group-by';

/** How a call was counted, by its `X-RateLimit-…` headers. */
export interface CountedCall {
  /** Client, endpoint and end of the minute. */
  readonly window: string;
  readonly limit: number;
  readonly remaining: number;
  readonly refused: boolean;
}

/**
 * Violations of rate limits (design, section 3: exact): in each window each accepted call is counted once, and none is
 * refused before the limit is reached. A call whose count the SDK repeats, since DynamoDB's answer was late, reads what
 * others have counted meanwhile: less remains than its own number leaves, never less than all calls leave.
 * @param calls all calls of each window
 */
export function limitViolations(calls: readonly CountedCall[]): string[] {
  const windows = groupBy(calls, ({ window }) => window);
  return [...windows].flatMap(([window, counted]) => {
    const limit = counted[0]?.limit ?? 0;
    const accepted = counted.filter(({ refused }) => !refused).map(({ remaining }) => remaining);
    const least = Math.max(0, limit - counted.length);
    const isExact = accepted
      .toSorted((one, other) => other - one)
      .every((value, index) => value <= limit - 1 - index && value >= least);
    const isRefusedEarly = accepted.length < limit && accepted.length < counted.length;
    return [
      ...(isExact && accepted.length <= limit
        ? []
        : [`${window}: accepted with ${accepted.join(', ')} remaining of ${limit}`]),
      ...(isRefusedEarly ? [`${window}: refused after ${accepted.length} of ${limit} calls`] : []),
    ];
  });
}

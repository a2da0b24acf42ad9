import { noQuotas, type Quotas, type RateName } from '../quotas';

/** Quotas in which each named rate admits only so many requests. @param most overrides of other quotas */
export function limitedQuotas(left: Partial<Record<RateName, number>>, most: Partial<Quotas> = {}): Quotas {
  const remaining: Partial<Record<RateName, number>> = { ...left };
  return {
    ...noQuotas,
    admits(name) {
      const rest = remaining[name] ?? Infinity;
      remaining[name] = rest - 1;
      return rest > 0;
    },
    ...most,
  };
}

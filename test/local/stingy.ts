import { noQuotas, type Quotas, type RateName } from '../../local/quotas';

/** Quotas of which some are used up, from the beginning or after so many. */
export function stingy(left: Partial<Record<RateName, number>>, most: Partial<Quotas> = {}): Quotas {
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

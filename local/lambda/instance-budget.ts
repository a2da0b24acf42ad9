import type { InstancePool } from './instance-pool';

export interface BudgetLimits {
  /** Instances of all functions together; the one idle longest makes room for another. */
  readonly maxTotal: number;
  /** Instances that load at the same time; more would only slow each other down. */
  readonly maxStarting: number;
}

/**
 * Shares out one machine among the pools of all functions, which an account would have no need for.
 * Gives the function to call whenever a pool has changed.
 */
export function createInstanceBudget(
  pools: ReadonlyMap<string, InstancePool>,
  { maxTotal, maxStarting }: BudgetLimits,
): () => void {
  let starting = 0;

  return function share(): void {
    while (starting < maxStarting) {
      const all = [...pools.values()];
      // A function without an instance goes first.
      const [pool] = all.filter((one) => one.wantsInstance()).sort((a, b) => a.size - b.size);
      if (!pool || !makeRoom(all, pool)) return;
      starting += 1;
      void pool.startInstance().finally(() => {
        starting -= 1;
        share();
      });
    }
  };

  /** Whether there is room, or some was made by ending what another function can spare. */
  function makeRoom(all: readonly InstancePool[], pool: InstancePool): boolean {
    if (all.reduce((total, { size }) => total + size, 0) < maxTotal) return true;
    const spare = all
      .map((one) => ({ one, since: one.idleSince() ?? Infinity }))
      .filter(({ one, since }) => since < Infinity && (pool.size === 0 || one.size > pool.size + 1))
      .sort((a, b) => a.since - b.since)[0];
    spare?.one.endIdleInstance();
    return spare !== undefined;
  }
}

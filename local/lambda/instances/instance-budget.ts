import type { InstancePool } from './instance-pool';

export interface BudgetLimits {
  /** Maximum number of instances of all functions; the one idle longest ends to make room. */
  readonly maxTotal: number;
  /** Maximum number of instances that load at the same time; more would only slow each other down. */
  readonly maxStarting: number;
}

/**
 * Distributes this machine's instances among the pools of all functions; an account has no such limit.
 * @returns the function to call whenever a pool has changed
 */
export function createInstanceBudget(
  pools: ReadonlyMap<string, InstancePool>,
  { maxTotal, maxStarting }: BudgetLimits,
): () => void {
  let starting = 0;

  return function rebalance(): void {
    while (starting < maxStarting) {
      const all = [...pools.values()];
      // Functions without an instance come first.
      const [pool] = all.filter((one) => one.wantsInstance()).sort((a, b) => a.size - b.size);
      if (!pool || !makeRoom(all, pool)) return;
      starting += 1;
      void pool.startInstance().finally(() => {
        starting -= 1;
        rebalance();
      });
    }
  };

  /** Ends an idle instance of another function if the maximum is reached. @returns whether an instance may start */
  function makeRoom(all: readonly InstancePool[], pool: InstancePool): boolean {
    if (all.reduce((total, { size }) => total + size, 0) < maxTotal) return true;
    const spareable = all
      .map((one) => ({ one, since: one.idleSince() ?? Infinity }))
      .filter(({ one, since }) => since < Infinity && (pool.size === 0 || one.size > pool.size + 1))
      .sort((a, b) => a.since - b.since)[0];
    spareable?.one.endIdleInstance();
    return spareable !== undefined;
  }
}

import type { InstancePool } from './instance-pool';

export interface BudgetLimits {
  /** Maximum number of instances of all functions; the one idle longest ends to make room. */
  readonly maxTotal: number;
  /** Maximum number of instances beyond it that a call has held ({@link InstancePool.held}); more of them count as others do. */
  readonly maxHeld: number;
  /** Maximum number of instances that load at the same time; more would only slow each other down. */
  readonly maxStarting: number;
}

/** An instance that has been idle for so long may end for any function: its own does not need it at this moment. */
const RESTED_MS = 1000;

/**
 * Distributes this machine's instances among the pools of all functions; an account has no such limit.
 * @returns the function to call whenever a pool has changed
 */
export function createInstanceBudget(
  pools: ReadonlyMap<string, InstancePool>,
  { maxTotal, maxHeld, maxStarting }: BudgetLimits,
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
    const held = all.reduce((total, one) => total + one.held, 0);
    const counted = all.reduce((total, { size }) => total + size, Math.max(0, held - maxHeld));
    if (counted < maxTotal) return true;
    const restedSince = performance.now() - RESTED_MS;
    const spareable = all
      .map((one) => ({ one, since: one.idleSince() ?? Infinity }))
      .filter(
        ({ one, since }) => since < Infinity && (pool.size === 0 || since < restedSince || one.size > pool.size + 1),
      )
      .sort((a, b) => a.since - b.since)[0];
    spareable?.one.endIdleInstance();
    return spareable !== undefined;
  }
}

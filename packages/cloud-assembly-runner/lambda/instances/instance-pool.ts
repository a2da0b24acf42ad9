/** Instances of one function, reused and scaled out as in Lambda ("Understanding Lambda function scaling"). */
import { FunctionError } from '../errors';
import { startInstance, type Instance, type InstanceSpec, type InvocationRequest } from './instance';

export interface PoolLimits {
  /** Maximum number of instances of a function; further calls wait in order. */
  readonly maxInstances: number;
  /** An instance that is idle for so long is terminated. */
  readonly idleMs: number;
  /**
   * A call that only waits for so long holds its instance: the instance is beyond the maxima from then on, so that another can
   * start in its place, as Lambda would start one. While this machine is busy no call counts as waiting: more instances
   * would make it busier.
   */
  readonly heldAfterMs: number;
}

export interface InstancePool {
  /** Runs a call on an idle instance; result and errors are those of {@link Instance.run}. */
  invoke(request: InvocationRequest): Promise<string>;
  /** Terminates all instances. */
  end(): Promise<void>;
  /** Number of instances, without those beyond the maxima. */
  readonly size: number;
  /** Number of instances that a call has held, which are beyond the maxima. */
  readonly held: number;
  /** Whether calls are waiting for which another instance could start. */
  wantsInstance(): boolean;
  /** Starts an instance; resolves when it has loaded or failed. */
  startInstance(): Promise<void>;
  /** Since when (`performance.now()`) the longest idle instance within the maxima has been idle; undefined when none is. */
  idleSince(): number | undefined;
  /** Terminates that instance. */
  endIdleInstance(): void;
}

interface Call {
  readonly request: InvocationRequest;
  resolve(result: string): void;
  reject(error: unknown): void;
}

interface Idle {
  readonly instance: Instance;
  readonly since: number;
  readonly timer: NodeJS.Timeout;
}

/** Creates an empty pool; it calls `onChange` whenever `wantsInstance` or `idleSince` may have changed. */
export function createInstancePool(
  spec: InstanceSpec,
  { maxInstances, idleMs, heldAfterMs }: PoolLimits,
  onChange: () => void,
): InstancePool {
  const all = new Set<Instance>();
  /** Those that a call has held. They stay: such calls mostly come again. */
  const held = new Set<Instance>();
  // Used as a stack: the most recently used instance is taken first, so that the others can reach their idle timeout.
  const idle: Idle[] = [];
  const queue: Call[] = [];
  let starting = 0;
  let closed = false;

  function dispatch(): void {
    while (queue.length > 0) {
      const free = idle.pop();
      if (free === undefined) break;
      clearTimeout(free.timer);
      if (free.instance.ended) continue;
      const call = queue.shift();
      if (call) void serve(free.instance, call);
    }
    onChange();
  }

  async function serve(instance: Instance, call: Call): Promise<void> {
    const holds = onceWaiting(instance, heldAfterMs, () => {
      held.add(instance);
      onChange();
    });
    try {
      call.resolve(await instance.run(call.request));
    } catch (error) {
      call.reject(error);
    } finally {
      clearInterval(holds);
    }
    if (!instance.ended) addIdle(instance);
    dispatch();
  }

  function addIdle(instance: Instance): void {
    const entry = { instance, since: performance.now(), timer: setTimeout(() => end(entry), idleMs) };
    entry.timer.unref();
    idle.push(entry);
  }

  /** Terminates an idle instance. */
  function end(entry: Idle): void {
    clearTimeout(entry.timer);
    idle.splice(idle.indexOf(entry), 1);
    remove(entry.instance);
    void entry.instance.end();
  }

  function remove(instance: Instance): void {
    all.delete(instance);
    held.delete(instance);
  }

  /** They became idle in this order. */
  const longestIdle = () => idle.find(({ instance }) => !held.has(instance));

  return {
    get size() {
      return all.size - held.size;
    },
    get held() {
      return held.size;
    },
    wantsInstance: () => !closed && queue.length > starting && all.size - held.size < maxInstances,
    idleSince: () => longestIdle()?.since,
    endIdleInstance() {
      const entry = longestIdle();
      if (entry) end(entry);
    },

    async startInstance() {
      starting += 1;
      const instance = startInstance(spec, () => {
        remove(instance);
        dispatch();
      });
      all.add(instance);
      try {
        await instance.ready;
        addIdle(instance);
      } catch (error) {
        // The instance was started for the oldest waiting call.
        queue.shift()?.reject(error);
      } finally {
        starting -= 1;
        dispatch();
      }
    },

    invoke: (request) =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(stopped());
          return;
        }
        queue.push({ request, resolve, reject });
        dispatch();
      }),

    async end() {
      closed = true;
      for (const { reject } of queue.splice(0)) reject(stopped());
      for (const { timer } of idle.splice(0)) clearTimeout(timer);
      await Promise.all([...all].map((instance) => instance.end()));
    },
  };
}

/**
 * A thread that waits is busy for less of the time; this thread, which all calls pass, is busy for more of it when the
 * machine is.
 */
const WAITS_BELOW = 0.2;
const BUSY_FROM = 0.8;

/** Calls back once, when the instance has only waited for an interval. @returns the timer, to be cleared when its call ends */
function onceWaiting(instance: Instance, intervalMs: number, waits: () => void): NodeJS.Timeout {
  const measure = () => {
    const before = performance.eventLoopUtilization();
    return {
      own: instance.measureUtilization(),
      ofThisThread: () => performance.eventLoopUtilization(before).utilization,
    };
  };
  let interval = measure();
  const timer = setInterval(() => {
    const { own, ofThisThread } = interval;
    interval = measure();
    if (own() >= WAITS_BELOW || ofThisThread() >= BUSY_FROM) return;
    clearInterval(timer);
    waits();
  }, intervalMs);
  return timer;
}

function stopped(): FunctionError {
  return new FunctionError('Runtime.ExitError', 'Lambda is stopped');
}

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

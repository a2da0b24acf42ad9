/** Instances of one function, reused and scaled out as in Lambda ("Understanding Lambda function scaling"). */
import { FunctionError } from '../errors';
import { startInstance, type Instance, type InstanceSpec, type InvocationRequest } from './instance';

export interface PoolLimits {
  /** Maximum number of instances of a function; further calls wait in order. */
  readonly maxInstances: number;
  /** An instance that is idle for so long is terminated. */
  readonly idleMs: number;
}

export interface InstancePool {
  /** Runs a call on an idle instance; result and errors are those of {@link Instance.run}. */
  invoke(request: InvocationRequest): Promise<string>;
  /** Terminates all instances. */
  end(): Promise<void>;
  readonly size: number;
  /** Whether calls are waiting for which another instance could start. */
  wantsInstance(): boolean;
  /** Starts an instance; resolves when it has loaded or failed. */
  startInstance(): Promise<void>;
  /** Time (`performance.now()`) since which the longest idle instance has been idle; undefined when none is idle. */
  idleSince(): number | undefined;
  /** Terminates the longest idle instance. */
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
  { maxInstances, idleMs }: PoolLimits,
  onChange: () => void,
): InstancePool {
  const all = new Set<Instance>();
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
    try {
      call.resolve(await instance.run(call.request));
    } catch (error) {
      call.reject(error);
    }
    if (!instance.ended) addIdle(instance);
    dispatch();
  }

  function addIdle(instance: Instance): void {
    const timer = setTimeout(endIdleInstance, idleMs);
    timer.unref();
    idle.push({ instance, since: performance.now(), timer });
  }

  /** Timers fire in the order in which instances became idle, so the first one has expired. */
  function endIdleInstance(): void {
    const first = idle.shift();
    if (!first) return;
    clearTimeout(first.timer);
    all.delete(first.instance);
    void first.instance.end();
  }

  return {
    get size() {
      return all.size;
    },
    wantsInstance: () => !closed && queue.length > starting && all.size < maxInstances,
    idleSince: () => idle[0]?.since,
    endIdleInstance,

    async startInstance() {
      starting += 1;
      const instance = startInstance(spec, () => {
        all.delete(instance);
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

function stopped(): FunctionError {
  return new FunctionError('Runtime.ExitError', 'Lambda is stopped');
}

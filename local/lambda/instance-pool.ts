/** All instances of one function: reused, scaled out and queued as Lambda does it ("Understanding Lambda function scaling"). */
import { FunctionError } from './errors';
import { startInstance, type Instance, type InstanceSpec, type InvocationRequest } from './instance';

export interface PoolLimits {
  /** Instances of a function at the same time; further calls wait in order. */
  readonly maxInstances: number;
  /** An instance without work for so long is ended. */
  readonly idleMs: number;
}

export interface InstancePool {
  /** Runs one call on a free instance; result and errors are those of {@link Instance.run}. */
  invoke(request: InvocationRequest): Promise<string>;
  /** Ends all instances. */
  end(): Promise<void>;
  readonly size: number;
  /** Whether calls wait that another instance could serve. */
  wantsInstance(): boolean;
  /** Starts an instance; resolves when it is loaded or has failed to. */
  startInstance(): Promise<void>;
  /** Since when its longest idle instance has been (`performance.now()`); undefined when none is. */
  idleSince(): number | undefined;
  /** Ends that instance. */
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

/** A pool without instances; it calls `onChange` whenever it may want one or may have one to spare. */
export function createInstancePool(
  spec: InstanceSpec,
  { maxInstances, idleMs }: PoolLimits,
  onChange: () => void,
): InstancePool {
  const all = new Set<Instance>();
  // The most recently used stands last and is taken first, so that a quiet spell leaves the others to their timers.
  const idle: Idle[] = [];
  const waiting: Call[] = [];
  let starting = 0;
  let closed = false;

  function dispatch(): void {
    while (waiting.length > 0) {
      const free = idle.pop();
      if (free === undefined) break;
      clearTimeout(free.timer);
      if (free.instance.ended) continue;
      const call = waiting.shift();
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
    if (!instance.ended) rest(instance);
    dispatch();
  }

  function rest(instance: Instance): void {
    const timer = setTimeout(endIdleInstance, idleMs);
    timer.unref();
    idle.push({ instance, since: performance.now(), timer });
  }

  /** Timers end in the order in which instances fell idle, so the first in line is the one whose time is up. */
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
    wantsInstance: () => !closed && waiting.length > starting && all.size < maxInstances,
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
        rest(instance);
      } catch (error) {
        // It was started for the call that waits longest.
        waiting.shift()?.reject(error);
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
        waiting.push({ request, resolve, reject });
        dispatch();
      }),

    async end() {
      closed = true;
      for (const { reject } of waiting.splice(0)) reject(stopped());
      for (const { timer } of idle.splice(0)) clearTimeout(timer);
      await Promise.all([...all].map((instance) => instance.end()));
    },
  };
}

function stopped(): FunctionError {
  return new FunctionError('Runtime.ExitError', 'Lambda is stopped');
}

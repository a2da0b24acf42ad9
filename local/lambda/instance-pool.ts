/** All instances of one function: reused, scaled out and queued as Lambda does it ("Understanding Lambda function scaling"). */
import { FunctionError } from './errors';
import { startInstance, type Instance, type InstanceSpec } from './instance';

export interface PoolLimits {
  /** Instances at the same time; further calls wait in order. */
  readonly maxInstances: number;
  /** An instance without work for so long is ended. */
  readonly idleMs: number;
}

export interface InstancePool {
  /** Runs one call on a free instance; result and errors are those of {@link Instance.run}. */
  invoke(requestId: string, payload: string): Promise<string>;
  /** Ends all instances. */
  end(): Promise<void>;
}

interface Call {
  readonly requestId: string;
  readonly payload: string;
  resolve(result: string): void;
  reject(error: unknown): void;
}

/** A pool without instances: the first call starts one. */
export function createInstancePool(spec: InstanceSpec, { maxInstances, idleMs }: PoolLimits): InstancePool {
  const all = new Set<Instance>();
  // The most recently used stands last, so that a quiet spell leaves the others to their timers.
  const idle: { instance: Instance; timer: NodeJS.Timeout }[] = [];
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
    while (!closed && waiting.length > starting && all.size < maxInstances) void start();
  }

  async function start(): Promise<void> {
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
  }

  async function serve(instance: Instance, call: Call): Promise<void> {
    try {
      call.resolve(await instance.run(call.requestId, call.payload));
    } catch (error) {
      call.reject(error);
    }
    if (!instance.ended) rest(instance);
    dispatch();
  }

  function rest(instance: Instance): void {
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((one) => one.instance === instance),
        1,
      );
      void instance.end();
    }, idleMs);
    timer.unref();
    idle.push({ instance, timer });
  }

  return {
    invoke: (requestId, payload) =>
      new Promise((resolve, reject) => {
        waiting.push({ requestId, payload, resolve, reject });
        dispatch();
      }),
    async end() {
      closed = true;
      for (const { reject } of waiting.splice(0)) reject(new FunctionError('Runtime.ExitError', 'Lambda is stopped'));
      for (const { timer } of idle.splice(0)) clearTimeout(timer);
      await Promise.all([...all].map((instance) => instance.end()));
    },
  };
}

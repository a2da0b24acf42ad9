/** One instance of a function: a worker thread with its own environment that runs one call at a time. */
import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { Faults } from '../../faults';
import { appendSync, checkDiskFull } from '../../data-folder/log-file';
import type { FunctionCharges } from '../charges';
import { FunctionError, FunctionTimedOut } from '../errors';
import { createWakeCounter, sendInvocation } from './freeze';
import type { InstanceData, InstanceMessage, Invocation, WorkerData } from './worker';

/** Lambda gives the initialisation of an instance 10 seconds (developer guide, "Lambda runtime environment"). */
const INIT_LIMIT_MS = 10_000;

/** Settings shared by all instances of a function. */
export interface InstanceSpec extends InstanceData {
  /** JavaScript of worker.ts. */
  readonly bootstrap: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly faults: Pick<Faults, 'invocation'>;
  readonly charges: FunctionCharges;
  /** Receives each line of output that may carry a metric. */
  publishLine(line: string): void;
}

/** An invocation without its deadline, which is set when an instance takes it. */
export type InvocationRequest = Omit<Invocation, 'deadline'>;

export interface Instance {
  /** Resolves when the handler is loaded; rejects with FunctionError when that fails, and the instance ends. */
  readonly ready: Promise<void>;
  readonly ended: boolean;
  /** Resolves with the handler's result as JSON; rejects with FunctionError or FunctionTimedOut. One call at a time. */
  run(request: InvocationRequest): Promise<string>;
  end(): Promise<void>;
  /**
   * Starts to measure.
   * @returns the part of the time since then, 0 to 1, in which the thread was busy or waited for a processor
   */
  measureUtilization(): () => number;
}

interface Waiting {
  readonly requestId: string;
  resolve(message: InstanceMessage): void;
  reject(error: FunctionError): void;
}

/** Starts an instance. `onEnd` is called once when it ends for any reason. */
export function startInstance(spec: InstanceSpec, onEnd: () => void): Instance {
  const { bootstrap, environment, timeoutMs, faults, charges, publishLine, ...data } = spec;
  // Identifies the AWS calls of this instance.
  const sessionToken = `local-${randomUUID()}`;
  const wakeCounter = createWakeCounter();
  const worker = new Worker(bootstrap, {
    eval: true,
    env: { ...environment, AWS_SESSION_TOKEN: sessionToken },
    execArgv: [],
    workerData: { ...data, wakeCounter: wakeCounter } satisfies WorkerData,
    // A small young generation keeps idle instances small; the old generation is the function's memory size.
    resourceLimits: { maxOldGenerationSizeMb: spec.memorySize, maxYoungGenerationSizeMb: 2 },
  });
  let waiting: Waiting | undefined;
  let ended = false;

  function logError(error: FunctionError): void {
    const entry = { level: 'ERROR', requestId: waiting?.requestId, errorType: error.type, message: error.message };
    appendSync(spec.logFile, `${spec.functionName} ${JSON.stringify(entry)}`);
  }

  function fail(error: FunctionError): void {
    if (!ended) logError(error);
    ended = true;
    waiting?.reject(error);
  }

  /** Resolves with the instance's next message; terminates the instance after `limitMs`. */
  function answerWithin(limitMs: number, requestId: string): Promise<InstanceMessage> {
    return new Promise<InstanceMessage>((resolve, reject) => {
      const timer = setTimeout(() => {
        fail(new FunctionTimedOut(requestId, limitMs));
        void worker.terminate();
      }, limitMs);
      const settle = () => {
        clearTimeout(timer);
        waiting = undefined;
      };
      waiting = {
        requestId,
        resolve: (message) => {
          settle();
          resolve(message);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
    });
  }

  worker.on('message', (message: InstanceMessage) => {
    if (message.kind === 'unlogged') checkDiskFull(spec.logFile, message);
    else if (message.kind === 'metric') publishLine(message.line);
    else waiting?.resolve(message);
  });
  worker.on('error', (error) => fail(new FunctionError(crashType(error), messageOf(error))));
  worker.on('exit', (code) => {
    fail(new FunctionError('Runtime.ExitError', `Runtime exited with exit status ${code}`));
    onEnd();
  });

  async function end(): Promise<void> {
    ended = true;
    await worker.terminate();
  }

  async function load(): Promise<void> {
    const message = await answerWithin(INIT_LIMIT_MS, 'init');
    if ('spent' in message) charges.initialised(message.spent);
    if (message.kind === 'ready') return;
    await end();
    throw failureOf(message);
  }

  return {
    ready: load(),
    get ended() {
      return ended;
    },
    async run(request) {
      const answer = answerWithin(timeoutMs, request.requestId);
      const clearFault = faults.invocation(spec.functionName, sessionToken, () => void worker.terminate());
      sendInvocation(worker, wakeCounter, { ...request, deadline: Date.now() + timeoutMs } satisfies Invocation);
      const message = await answer.finally(clearFault);
      if ('spent' in message) charges.invoked(message.spent);
      if (message.kind === 'result') return message.payload;
      throw failureOf(message);
    },
    end,
    measureUtilization() {
      const before = worker.performance.eventLoopUtilization();
      return () => worker.performance.eventLoopUtilization(before).utilization;
    },
  };
}

function failureOf(message: InstanceMessage): FunctionError {
  if (message.kind === 'failure') return new FunctionError(message.type, message.message);
  return new FunctionError('Runtime.ProtocolError', `Unexpected message of the instance: ${message.kind}`);
}

function crashType(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'Runtime.OutOfMemory' : 'Runtime.UnhandledException';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

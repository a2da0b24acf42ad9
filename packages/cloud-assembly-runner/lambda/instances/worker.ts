/**
 * Runs inside an instance: loads the handler once, then runs one invocation after the other.
 * Follows the Lambda developer guide, "Define Lambda function handler in Node.js" and "Using the Lambda context object".
 */
import { openSync, readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { afterThaw, waitForInvocation, type WakeCounter } from './freeze';
import { makeFilesReadOnly, resolveOwnModulesOnly } from './isolation';

/** Settings that an instance receives at its start. */
export interface InstanceData {
  readonly functionName: string;
  readonly functionArn: string;
  readonly memorySize: number;
  /** Folder of the asset. */
  readonly folder: string;
  /** File and export, such as `index.handler`. */
  readonly handler: string;
  readonly logFile: string;
}

export interface WorkerData extends InstanceData {
  readonly wakeCounter: WakeCounter;
}

/** One invocation; `deadline` in Unix ms, `trace` is its tracing header. */
export interface Invocation {
  readonly requestId: string;
  readonly payload: string;
  readonly trace: string;
  readonly deadline: number;
}

/** What the thread has used for its initialisation or for one invocation. */
export interface Spent {
  /** Elapsed time in ms, without the time in which the thread was ready but no processor of this machine was free. */
  readonly ms: number;
  /** Time on a processor in ms. */
  readonly processorMs: number;
  /** Lines of output, and their bytes without line breaks. */
  readonly logLines: number;
  readonly logBytes: number;
}

/**
 * Message of an instance: loaded, result, failure; and, at any time, a line of output that may carry a metric, and the
 * error code when its output could not be logged.
 */
export type InstanceMessage =
  | { readonly kind: 'ready'; readonly spent: Spent }
  | { readonly kind: 'result'; readonly payload: string; readonly spent: Spent }
  | { readonly kind: 'failure'; readonly type: string; readonly message: string; readonly spent: Spent }
  | { readonly kind: 'metric'; readonly line: string }
  | { readonly kind: 'unlogged'; readonly code: unknown };

/** Outcome of the initialisation or of an invocation, until what it has used is known. */
type Outcome =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly payload: string }
  | { readonly kind: 'failure'; readonly type: string; readonly message: string };

type Handler = (event: unknown, context: unknown) => unknown;

/**
 * Of the calling thread, in ns: time on a processor, and time of waiting for one (Linux,
 * Documentation/scheduler/sched-stats).
 */
const SCHEDULE_STATISTICS = '/proc/thread-self/schedstat';

const data = workerData as WorkerData;
const spentMeter = createSpentMeter();

/** The running invocation. */
let current: Invocation | undefined;

function describe(thrown: unknown): { type: string; message: string; trace: string } {
  if (thrown instanceof Error) {
    return { type: thrown.name, message: thrown.message, trace: thrown.stack ?? '' };
  }
  return { type: 'Error', message: String(thrown), trace: '' };
}

function send(message: InstanceMessage): void {
  parentPort?.postMessage(message);
}

/** Sends the response to the running invocation, then freezes the instance until the next one. */
function respond(port: MessagePort, handler: Handler, outcome: Outcome): void {
  current = undefined;
  send({ ...outcome, spent: spentMeter.take() });
  serveNext(port, handler);
}

function serveNext(port: MessagePort, handler: Handler): void {
  const invocation = (current = waitForInvocation(port, data.wakeCounter) as Invocation);
  afterThaw(() => void invoke(port, handler, invocation));
}

/** Writes the function's output to the log file synchronously, line by line, so that nothing is lost when it crashes. */
function redirectOutput(file: string): void {
  const descriptor = openSync(file, 'a', 0o600);
  for (const stream of [process.stdout, process.stderr]) {
    let rest = '';
    const write = (chunk: string | Uint8Array, ...more: unknown[]): boolean => {
      rest += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(spentMeter.logged);
      // The root field of the embedded metric format.
      for (const line of lines) if (line.includes('"_aws"')) send({ kind: 'metric', line });
      try {
        if (lines.length > 0) writeSync(descriptor, lines.map((line) => `${data.functionName} ${line}\n`).join(''));
      } catch (error) {
        // Logging must not fail the function.
        send({ kind: 'unlogged', code: (error as NodeJS.ErrnoException).code });
      }
      const done = more.at(-1);
      if (typeof done === 'function') queueMicrotask(done as () => void);
      return true;
    };
    stream.write = write;
  }
}

function load(): Handler {
  const separator = data.handler.lastIndexOf('.');
  const file = join(data.folder, data.handler.slice(0, separator));
  const module: unknown = createRequire(join(data.folder, 'index.js'))(file);
  const handler = (module as Record<string, unknown>)[data.handler.slice(separator + 1)];
  if (typeof handler !== 'function') {
    const error = new Error(`${data.handler} is undefined or not exported`);
    error.name = 'Runtime.HandlerNotFound';
    throw error;
  }
  // Lambda removed callback handlers with Node.js 24 ("Define Lambda function handler in Node.js").
  const version = Number(/nodejs(\d+)/.exec(process.env['AWS_EXECUTION_ENV'] ?? '')?.[1]);
  if (handler.length > 2 && version >= 24) {
    const error = new Error(
      'AWS Lambda has removed support for callback-based function handlers starting with Node.js 24',
    );
    error.name = 'Runtime.CallbackHandlerDeprecated';
    throw error;
  }
  return handler as Handler;
}

function contextOf({ requestId, deadline }: Invocation) {
  return {
    awsRequestId: requestId,
    functionName: data.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: data.functionArn,
    memoryLimitInMB: String(data.memorySize),
    logGroupName: `/aws/lambda/${data.functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
}

async function invoke(port: MessagePort, handler: Handler, invocation: Invocation): Promise<void> {
  spentMeter.reset();
  process.env['_X_AMZN_TRACE_ID'] = invocation.trace;
  let outcome: Outcome;
  try {
    const result = await handler(JSON.parse(invocation.payload), contextOf(invocation));
    outcome = { kind: 'result', payload: JSON.stringify(result ?? null) };
  } catch (thrown) {
    const { type, message: text, trace } = describe(thrown);
    const { requestId } = invocation;
    console.error(JSON.stringify({ level: 'ERROR', requestId, errorType: type, message: text, trace }));
    outcome = { kind: 'failure', type, message: text };
  }
  respond(port, handler, outcome);
}

function run(port: MessagePort): void {
  redirectOutput(data.logFile);
  makeFilesReadOnly(data.folder);
  resolveOwnModulesOnly(data.folder);
  try {
    const handler = load();
    // The event loop is empty, so the handler's promise can't settle: Lambda's runtime responds with null.
    process.on('beforeExit', () => {
      if (current) respond(port, handler, { kind: 'result', payload: 'null' });
    });
    respond(port, handler, { kind: 'ready' });
  } catch (thrown) {
    const { type, message, trace } = describe(thrown);
    console.error(JSON.stringify({ level: 'ERROR', errorType: type, message, trace }));
    send({ kind: 'failure', type, message, spent: spentMeter.take() });
  }
}

/** Measures this thread. */
interface SpentMeter {
  /** Counts a line of output. */
  logged(line: string): void;
  /** What was used since the last call of `reset` or `take`. */
  take(): Spent;
  /** Leaves out what was used so far, such as the time in which the instance was frozen. */
  reset(): void;
}

function createSpentMeter(): SpentMeter {
  let begin = read();
  let logLines = 0;
  let logBytes = 0;

  const reset = () => {
    begin = read();
    logLines = 0;
    logBytes = 0;
  };
  return {
    reset,
    logged(line) {
      logLines += 1;
      logBytes += Buffer.byteLength(line);
    },
    take() {
      const end = read();
      const ms = end.at - begin.at - (end.waitedMs - begin.waitedMs);
      const spent = { ms: Math.max(0, ms), processorMs: end.processorMs - begin.processorMs, logLines, logBytes };
      reset();
      return spent;
    },
  };
}

/** Where there are no such statistics, all time counts as time on a processor. */
function read(): { readonly at: number; readonly processorMs: number; readonly waitedMs: number } {
  const at = performance.now();
  try {
    const [processor, waited] = readFileSync(SCHEDULE_STATISTICS, 'utf8').split(' ');
    return { at, processorMs: Number(processor) / 1e6, waitedMs: Number(waited) / 1e6 };
  } catch {
    return { at, processorMs: at, waitedMs: 0 };
  }
}

if (parentPort) run(parentPort);

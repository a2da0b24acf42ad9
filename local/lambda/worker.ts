/**
 * What runs inside an instance of a function: loads the handler once, then answers one call after the other.
 * Follows the Lambda developer guide, "Define Lambda function handler in Node.js" and "Using the Lambda context object".
 */
import { openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { afterThaw, waitForInvocation, type Bell } from './invocations';
import { makeFilesReadOnly } from './read-only-files';

/** What an instance is told when it starts. */
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

/** The same, and what rings when an invocation has been sent. */
export interface WorkerData extends InstanceData {
  readonly bell: Bell;
}

/** One invocation; `deadline` in milliseconds since 1970, `trace` is its tracing header. */
export interface Invocation {
  readonly requestId: string;
  readonly payload: string;
  readonly trace: string;
  readonly deadline: number;
}

/** What an instance says: loaded, answered, or why not; and, at any time, why what it printed is not in the log. */
export type InstanceMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly payload: string }
  | { readonly kind: 'failure'; readonly type: string; readonly message: string }
  | { readonly kind: 'unlogged'; readonly code: unknown };

type Handler = (event: unknown, context: unknown) => unknown;

const data = workerData as WorkerData;

/** The invocation that is under way. */
let current: Invocation | undefined;

function describe(thrown: unknown): { type: string; message: string; trace: string } {
  if (thrown instanceof Error) {
    return { type: thrown.name, message: thrown.message, trace: thrown.stack ?? '' };
  }
  return { type: 'Error', message: String(thrown), trace: '' };
}

function tell(message: InstanceMessage): void {
  parentPort?.postMessage(message);
}

/** Gives the answer to the invocation under way, and from then on nothing runs until the next one. */
function answerWith(port: MessagePort, handler: Handler, message: InstanceMessage): void {
  current = undefined;
  tell(message);
  serveNext(port, handler);
}

function serveNext(port: MessagePort, handler: Handler): void {
  const invocation = (current = waitForInvocation(port, data.bell) as Invocation);
  afterThaw(() => void answer(port, handler, invocation));
}

/** Sends what the function prints to the log file, at once and line by line, so that nothing is lost when it ends. */
function printTo(file: string): void {
  const descriptor = openSync(file, 'a', 0o600);
  for (const stream of [process.stdout, process.stderr]) {
    let rest = '';
    const write = (chunk: string | Uint8Array, ...more: unknown[]): boolean => {
      rest += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      try {
        if (lines.length > 0) writeSync(descriptor, lines.map((line) => `${data.functionName} ${line}\n`).join(''));
      } catch (error) {
        // A function does not fail at what it prints.
        tell({ kind: 'unlogged', code: (error as NodeJS.ErrnoException).code });
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
  // Handlers with a callback are gone since Node.js 24 ("Define Lambda function handler in Node.js").
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

async function answer(port: MessagePort, handler: Handler, invocation: Invocation): Promise<void> {
  process.env['_X_AMZN_TRACE_ID'] = invocation.trace;
  let message: InstanceMessage;
  try {
    const result = await handler(JSON.parse(invocation.payload), contextOf(invocation));
    message = { kind: 'result', payload: JSON.stringify(result ?? null) };
  } catch (thrown) {
    const { type, message: text, trace } = describe(thrown);
    const { requestId } = invocation;
    console.error(JSON.stringify({ level: 'ERROR', requestId, errorType: type, message: text, trace }));
    message = { kind: 'failure', type, message: text };
  }
  answerWith(port, handler, message);
}

function run(port: MessagePort): void {
  printTo(data.logFile);
  makeFilesReadOnly(data.folder);
  try {
    const handler = load();
    // Nothing is left that could settle what the handler waits for: the runtime answers with null.
    process.on('beforeExit', () => {
      if (current) answerWith(port, handler, { kind: 'result', payload: 'null' });
    });
    answerWith(port, handler, { kind: 'ready' });
  } catch (thrown) {
    const { type, message, trace } = describe(thrown);
    console.error(JSON.stringify({ level: 'ERROR', errorType: type, message, trace }));
    tell({ kind: 'failure', type, message });
  }
}

if (parentPort) run(parentPort);

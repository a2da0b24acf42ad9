import { fork } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stop as stopEsbuild } from 'esbuild';
import * as z from 'zod';
import { readFaults } from '../faults/faults-file';
import type { AccountAge } from '../quotas';
import { serverCertificate } from './certificate-authority';
import { lateParts, type LatePart } from './late-parts';
import { assertFree, type Ports } from './ports';
import type { ReadyStack } from './stack';
import { removeStackFiles, runningAt, writeStackFiles, type StackFacts } from './stack-file';
import type { CompletionMessage, ProcessOptions, StackMessage } from './stack-process';
import { isAlive } from '../is-alive';
import { readJsonFile, replaceFile } from '../data-folder/atomic-file';

export interface RunOptions<Facts extends object> {
  /** Folder of a cloud assembly with one stack, or a function that creates one, called once folder and ports are free. */
  readonly assembly: string | ((stopped: AbortSignal) => Promise<string>);
  /** Data folder; created when it is missing. */
  readonly folder: string;
  readonly ports: Ports;
  /** Keep data in memory; it is deleted at stop. */
  readonly memory: boolean;
  /** Maximum number of function instances at a time. */
  readonly instances: number;
  /** Quotas to enforce; default: none. */
  readonly quotas?: AccountAge | undefined;
  /** JSON file of faults to inject, watched while the stack runs. */
  readonly faultsFile?: string | undefined;
  /** Origins whose web pages may call the REST API, such as that of its documentation; on AWS the API decides. Default: none. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Seconds for which access tokens are valid; default: what their app clients say. */
  readonly tokenLifetime?: number | undefined;
  /** How long five minutes of an alarm's period last, in ms, for tests; default: five minutes. */
  readonly alarmPeriodMs?: number | undefined;
  /**
   * Called in this process when the stack accepts requests, before it counts as ready. The result is added to
   * `stack.json`. When it rejects, the stack stops and `run` rejects with the same error.
   */
  prepare(stack: ReadyStack, stopped: AbortSignal): Promise<Facts>;
  /** Called when `stack.json` and `aws.json` are written. */
  ready(facts: StackFacts & Facts): void;
  /**
   * Called beside `prepare`, for what the assembly lacks: the code of functions, and files that the stack serves. Calls
   * and requests that need some of a part wait until it is there, and fail when the part has settled without it.
   * Without them, such an assembly is refused.
   */
  readonly complete?: Readonly<Record<LatePart, (assemblyFolder: string, stopped: AbortSignal) => Promise<void>>>;
}

/**
 * Runs a stack in a process of its own until `stopped` aborts. Writes `stack.json` and `aws.json` into the data folder
 * while it runs.
 * @throws Error with a message of one line, when the stack does not start or ends by itself
 */
export async function run<Facts extends object>(options: RunOptions<Facts>, stopped: AbortSignal): Promise<void> {
  const { assembly, folder, ports, memory, instances, quotas, faultsFile, tokenLifetime, alarmPeriodMs, corsOrigins } =
    options;
  if (faultsFile !== undefined) readFaults(faultsFile);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await waitForDyingStack(folder);
  const other = await runningAt(folder);
  if (other) throw new Error(`A stack that uses ${folder} already runs: ${other}. Stop it, or set LOCAL_DIR.`);
  await assertFree(ports);

  const [certificate, assemblyFolder] = await Promise.all([
    serverCertificate(folder),
    typeof assembly === 'string' ? assembly : assembly(stopped),
  ]);
  // The child process of esbuild (16 MB) stays after the first TypeScript file was compiled; it is started again when needed.
  await stopEsbuild();
  const settings = { memory, instances, quotas, faultsFile, tokenLifetime, alarmPeriodMs, corsOrigins };
  const isCompletedLater = options.complete !== undefined;
  const stackOptions = { assemblyFolder, folder, ...settings, ...ports, certificate, isCompletedLater };
  let completion: Promise<unknown> = Promise.resolve();
  const onReady = async (stack: ReadyStack, ending: AbortSignal, send: (message: CompletionMessage) => void) => {
    const { baseUrl, mqttUrl, caFile, access } = stack;
    completion = complete(assemblyFolder, options.complete, ending, send);
    const facts = { baseUrl, mqttUrl, caFile, ...(await options.prepare(stack, ending)) };
    if (ending.aborted) return;
    writeStackFiles(folder, facts, access);
    options.ready(facts);
  };
  // The stack removes its files itself unless it crashed.
  try {
    await runProcess(stackOptions, stopped, onReady);
  } finally {
    await completion;
    removeStackFiles(folder);
    removeProcessIds(folder);
  }
}

/** Tells the stack of each part whether it has all its files. Never rejects. */
async function complete(
  assemblyFolder: string,
  parts: RunOptions<object>['complete'],
  ending: AbortSignal,
  send: (message: CompletionMessage) => void,
): Promise<void> {
  if (!parts) return;
  const settle = (part: LatePart) =>
    parts[part](assemblyFolder, ending).then(
      () => send({ part, isComplete: true }),
      () => send({ part, isComplete: false }),
    );
  await Promise.all(lateParts.map(settle));
  await stopEsbuild();
}

/** Forks the stack's process. Rejects when it fails or ends by itself, and when `onReady` rejects. */
function runProcess(
  options: ProcessOptions,
  stopped: AbortSignal,
  onReady: (stack: ReadyStack, ending: AbortSignal, send: (message: CompletionMessage) => void) => Promise<void>,
): Promise<void> {
  // Whoever bundles this package has JavaScript.
  const extension = extname(__filename);
  // The CommonJS loader alone: the loader for ES modules needs another 30 MB.
  const loader = extension === '.ts' ? ['--require', require.resolve('tsx/cjs')] : [];
  const stack = fork(join(__dirname, `stack-process${extension}`), {
    execArgv: ['--no-parallel-scavenge', ...loader],
    // So that Ctrl-C reaches this process alone, which then stops the other.
    detached: true,
    env: {
      ...process.env,
      // Node.js reads it only at the start of a process: the reason for a process of its own.
      NODE_EXTRA_CA_CERTS: options.certificate.caFile,
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      // Function instances are threads, and by default glibc keeps a memory arena for each.
      MALLOC_ARENA_MAX: '2',
    },
  });
  let failure = 'The stack ended unexpectedly: what it printed last says why.';
  const ending = new AbortController();
  const stop = () => {
    ending.abort();
    if (stack.connected) stack.disconnect();
  };
  const send = (message: CompletionMessage) => {
    if (stack.connected) stack.send(message);
  };
  const fail = (error: unknown) => {
    // An error after the stack began to stop is a consequence, not the cause.
    if (!ending.signal.aborted) failure = error instanceof Error ? error.message : String(error);
    stop();
  };
  return new Promise((resolve, reject) => {
    stack.on('message', (message: StackMessage) => {
      if ('ready' in message) {
        onReady(message.ready, ending.signal, send).catch(fail);
        return;
      }
      failure = message.failed;
      ending.abort();
    });
    stack.once('exit', (code) => {
      ending.abort();
      if (stopped.aborted && code === 0) resolve();
      else reject(new Error(failure));
    });
    try {
      writeProcessIds(options.folder, { starter: process.pid, stack: stack.pid ?? 0 });
      stack.send(options);
    } catch (error) {
      fail(error);
    }
    if (stopped.aborted) stop();
    stopped.addEventListener('abort', stop);
  });
}

/** Process ids of the stack that uses a data folder: the parent and the stack's process. */
const processes = z.object({ starter: z.number(), stack: z.number() });

type StackProcesses = z.infer<typeof processes>;

/** A stack whose parent has died ends within 8 s (stack-process.ts). */
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 50;

const fileIn = (folder: string) => join(folder, 'processes.json');

function writeProcessIds(folder: string, ids: StackProcesses): void {
  replaceFile(fileIn(folder), JSON.stringify(ids));
}

function removeProcessIds(folder: string): void {
  rmSync(fileIn(folder), { force: true });
}

/**
 * Waits until a stack whose parent was killed has stopped and freed its ports, which takes seconds. Resolves at once when
 * there is none or when its parent is alive, and after 10 s in any case.
 */
async function waitForDyingStack(folder: string): Promise<void> {
  const ids = readProcessIds(folder);
  if (!ids || isAlive(ids.starter)) return;
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  if (isAlive(ids.stack)) console.warn('The killed stack is still stopping; waiting for its ports.');
  while (isAlive(ids.stack) && performance.now() < deadline) await pause(POLL_MS);
}

/** An unreadable file counts as missing: each start writes it anew. */
function readProcessIds(folder: string): StackProcesses | undefined {
  try {
    return readJsonFile(fileIn(folder), processes, '');
  } catch {
    return undefined;
  }
}

import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { LambdaRuntime } from '../install';
import type { DeployedFunction } from './functions';

/**
 * The Lambda Runtime API for one instance (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html): one invocation
 * at a time.
 */
/** Result of an invocation: the handler's response, or the error that the runtime reported. */
type Outcome = { readonly response: unknown } | { readonly error: unknown };

interface RuntimeApi {
  /** Host and port, for `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  /**
   * Passes an event to the runtime. Rejects when the runtime reports an initialisation error, or no outcome in the remaining time
   * from when it took the event: the initialisation before that does not count.
   */
  invoke(event: unknown): Promise<Outcome>;
  close(): void;
}

interface Invocation {
  readonly requestId: string;
  readonly event: string;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

const PREFIX = '/2018-06-01/runtime';
const ACCEPTED = JSON.stringify({ status: 'OK' });

/** @param timeLeftMs remaining time of every invocation */
async function startRuntimeApi(functionArn: string, timeLeftMs: number): Promise<RuntimeApi> {
  const waiting: Invocation[] = [];
  const running = new Map<string, Invocation>();
  let waitingRuntime: ServerResponse | undefined;
  let initError: Error | undefined;

  const deliverNext = () => {
    if (!waitingRuntime || waiting.length === 0) return;
    const invocation = waiting.shift() as Invocation;
    running.set(invocation.requestId, invocation);
    setTimeout(() => invocation.reject(new Error(`no answer within ${timeLeftMs} ms`)), timeLeftMs).unref();
    waitingRuntime.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': invocation.requestId,
      'lambda-runtime-deadline-ms': String(Date.now() + timeLeftMs),
      'lambda-runtime-invoked-function-arn': functionArn,
      'lambda-runtime-trace-id': 'Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1',
    });
    waitingRuntime.end(invocation.event);
    waitingRuntime = undefined;
  };

  const fail = (error: Error) => {
    initError = error;
    for (const { reject } of waiting.splice(0)) reject(error);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').slice(PREFIX.length);
    if (path === '/invocation/next' && request.method === 'GET') {
      waitingRuntime = response;
      deliverNext();
      return;
    }
    const body: unknown = JSON.parse((await text(request)) || 'null');
    const [, requestId = '', what] = /^\/invocation\/([\w-]+)\/(response|error)$/.exec(path) ?? [];
    const invocation = running.get(requestId);
    if (path === '/init/error') fail(new Error(`init error: ${JSON.stringify(body)}`));
    else if (!invocation) response.statusCode = 404;
    else invocation.resolve(what === 'response' ? { response: body } : { error: body });
    running.delete(requestId);
    if (response.statusCode !== 404) response.statusCode = 202;
    response.setHeader('content-type', 'application/json');
    response.end(ACCEPTED);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      fail(error instanceof Error ? error : new Error(String(error)));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    invoke: (event) =>
      new Promise((resolve, reject) => {
        waiting.push({ requestId: randomUUID(), event: JSON.stringify(event), resolve, reject });
        if (initError) fail(initError);
        else deliverNext();
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** An instance of a function, run by AWS's runtime interface client. */
export interface Instance {
  /** Rejects when the instance can't be initialised, exits, or does not answer within the function's timeout. */
  invoke(event: unknown): Promise<Outcome>;
  /** Its output. */
  readonly printed: () => string;
  stop(): void;
}

/** For loading the code, with other instances beside it. */
const INIT_TIMEOUT_MS = 60_000;

/** Logical ids of the CDK's own functions, which use the SDK of Lambda's runtime; all others contain theirs. */
const takesSdkFromRuntime = /^(AWS679f|Custom)/;

/** @param endpointUrl of its AWS calls */
export async function startInstance(
  { binFolder, modules, client }: LambdaRuntime,
  { logicalId, folder, handler, arn, timeoutMs, environment }: DeployedFunction,
  endpointUrl: string,
): Promise<Instance> {
  const api = await startRuntimeApi(arn, timeoutMs);
  // Away from the packages of this project, which it would find above its own folder.
  const root = await mkdtemp(join(tmpdir(), 'task-root-'));
  await cp(folder, root, { recursive: true });
  const child = spawn(`${binFolder}/node`, [client, handler], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...environment,
      PATH: `${binFolder}:/usr/local/bin:/usr/bin:/bin`,
      ...(takesSdkFromRuntime.test(logicalId) && { NODE_PATH: modules }),
      LAMBDA_TASK_ROOT: root,
      _HANDLER: handler,
      AWS_LAMBDA_RUNTIME_API: api.address,
      AWS_ENDPOINT_URL: endpointUrl,
    },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) =>
      reject(new Error(`the instance ended with ${code ?? signal}: ${printed.trim()}`)),
    );
  });
  ended.catch(() => undefined);
  return {
    invoke: (event) => {
      // Also one that never asks for an event ends.
      const late = new Promise<never>((_, reject) => {
        const limitMs = INIT_TIMEOUT_MS + timeoutMs;
        setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs).unref();
      });
      return Promise.race([api.invoke(event), ended, late]);
    },
    printed: () => printed,
    stop: () => {
      child.kill('SIGKILL');
      api.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

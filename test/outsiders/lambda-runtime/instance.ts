import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LambdaRuntime } from '../install/node';
import type { DeployedFunction } from './functions';
import { startRuntimeApi, type Outcome } from './runtime-api';

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

/**
 * AWS Lambda on this machine: each function runs from its bundled asset, each instance in a worker thread.
 * Behaviour: Lambda developer guide ("Lambda runtime environment", "Defined runtime environment variables", "Lambda
 * quotas") and API reference (Invoke, AddPermission).
 */
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { buildSync } from 'esbuild';
import { join } from 'node:path';
import * as z from 'zod';
import { noFaults, type Faults } from '../faults';
import { propertiesOf } from '../properties';
import { noQuotas, type Quotas } from '../quotas';
import type { Created, Resource, Service } from '../service';
import { environmentOf, type FunctionCredentials } from './environment';
import {
  FunctionError,
  MAX_PAYLOAD_BYTES,
  MAX_RESULT_BYTES,
  RecursiveInvocation,
  RequestTooLarge,
  TooManyRequests,
} from './errors';
import { nameOf } from './function-name';
import { checkPackage } from './package-size';
import { createInstanceBudget, type BudgetLimits } from './instance-budget';
import { createInstancePool, type InstancePool, type PoolLimits } from './instance-pool';
import { createPermissions } from './permissions';
import type { InstanceSpec } from './instance';
import { MOST_ROUNDS, traceOf } from './trace';

export { FunctionError, RecursiveInvocation, RequestTooLarge, TimedOut, TooManyRequests } from './errors';

export interface LambdaOptions {
  readonly region: string;
  readonly accountId: string;
  /** The synthesised app (`cdk.out`), to which asset paths are relative. */
  readonly assemblyFolder: string;
  /** What functions print and why they failed is appended here. */
  readonly logFile: string;
  /** `AWS_ENDPOINT_URL` of the functions. */
  readonly endpointUrl: string;
  /** Credentials of their own for each function, by which the endpoint knows its role. */
  credentialsOf(functionArn: string, roleArn: string): FunctionCredentials;
  /** Default: 4 instances a function and 16 in all, as many starting as there are processors, ended after a minute without work. */
  readonly limits?: Partial<PoolLimits & BudgetLimits>;
  /** Default: none. Calls that wait for an instance here count too: an account would have had one. */
  readonly quotas?: Pick<Quotas, 'concurrentExecutions'>;
  /** Default: none. */
  readonly faults?: Pick<Faults, 'invocation'>;
}

export interface Lambda extends Service {
  /**
   * Calls a function and waits for its result, as JSON would carry it.
   * `cause` is the tracing header that came with the event, if it goes on with a chain of requests.
   * Rejects with FunctionError (`type` and message of what the handler threw), TimedOut, RequestTooLarge,
   * TooManyRequests or RecursiveInvocation.
   */
  invoke(functionArnOrName: string, event: unknown, cause?: string): Promise<unknown>;
  /** Whether an AWS::Lambda::Permission lets this AWS service call the function on behalf of this ARN. */
  permits(functionArnOrName: string, principal: string, sourceArn: string): boolean;
  /** How often and how long a function that nobody waits for is called again; empty for AWS's own limits. */
  eventLimitsOf(functionArnOrName: string): EventLimits;
  /** ARN of the queue for what a function has failed at for good, when it is called asynchronously and has one. */
  deadLetterQueueOf(functionArnOrName: string): string | undefined;
  /** ARN of the function of this name, whether there is one or not. */
  arnOf(functionName: string): string;
  has(functionName: string): boolean;
  /** How many seconds a call of a function may take; throws for a function that does not exist. */
  timeoutOf(functionArnOrName: string): number;
}

const functionProperties = z.object({
  FunctionName: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'a name has at most 64 letters, digits, hyphens and underscores')
    .optional(),
  PackageType: z.literal('Zip').default('Zip'),
  Runtime: z.string().startsWith('nodejs'),
  Handler: z.string().includes('.'),
  Role: z.string(),
  MemorySize: z.number().min(128).max(10_240).default(128),
  Timeout: z.number().max(900).default(3),
  DeadLetterConfig: z.object({ TargetArn: z.string().regex(/^arn:[^:]+:sqs:/, 'only queues are played') }).optional(),
  RecursiveLoop: z.enum(['Allow', 'Terminate']).default('Terminate'),
  Environment: z.object({ Variables: z.record(z.string(), z.string()).default({}) }).default({ Variables: {} }),
});

const eventInvokeConfig = z.object({
  FunctionName: z.string(),
  Qualifier: z.literal('$LATEST'),
  MaximumRetryAttempts: z.number().int().min(0).max(2).optional(),
  MaximumEventAgeInSeconds: z.number().int().min(60).max(21_600).optional(),
});

/** Of asynchronous calls: Lambda API reference, PutFunctionEventInvokeConfig. */
export type EventLimits = Pick<z.output<typeof eventInvokeConfig>, 'MaximumRetryAttempts' | 'MaximumEventAgeInSeconds'>;

/** Lambda for the functions and permissions of one template. */
export function createLambda(options: LambdaOptions): Lambda {
  const specs = new Map<string, Omit<InstanceSpec, 'bootstrap' | 'faults'>>();
  const pools = new Map<string, InstancePool>();
  const deadLetterQueues = new Map<string, string>();
  /** Names of functions that may be a part of a loop. */
  const recursive = new Set<string>();
  const eventLimits = new Map<string, EventLimits>();
  const arnOf = (name: string) => `arn:aws:lambda:${options.region}:${options.accountId}:function:${name}`;
  const permissions = createPermissions(arnOf);
  const limits = {
    ...{ maxInstances: 4, maxTotal: 16, maxStarting: availableParallelism(), idleMs: 60_000 },
    ...options.limits,
  };
  const { concurrentExecutions } = options.quotas ?? noQuotas;
  const { faults = noFaults } = options;
  let underWay = 0;
  const share = createInstanceBudget(pools, limits);

  function createFunction(resource: Resource): Created {
    const { Environment, Role, DeadLetterConfig, ...properties } = propertiesOf(resource, functionProperties);
    const assetPath = resource.metadata['aws:asset:path'];
    if (typeof assetPath !== 'string') throw new Error(`${resource.logicalId}: only code from an asset can run here`);
    const folder = join(options.assemblyFolder, assetPath);
    checkPackage(folder, resource.logicalId);
    const functionName = properties.FunctionName ?? resource.logicalId.slice(0, 64);
    const functionArn = arnOf(functionName);
    if (DeadLetterConfig) deadLetterQueues.set(functionName, DeadLetterConfig.TargetArn);
    if (properties.RecursiveLoop === 'Allow') recursive.add(functionName);
    specs.set(functionName, {
      functionName,
      functionArn,
      folder,
      handler: properties.Handler,
      memorySize: properties.MemorySize,
      timeoutMs: properties.Timeout * 1000,
      logFile: options.logFile,
      environment: environmentOf(
        { ...properties, functionName, region: options.region, endpointUrl: options.endpointUrl },
        Environment.Variables,
        options.credentialsOf(functionArn, Role),
      ),
    });
    return { ref: functionName, attributes: { Arn: functionArn } };
  }

  function createPermission(resource: Resource): Created {
    permissions.add(resource);
    return { ref: resource.logicalId };
  }

  function createEventInvokeConfig(resource: Resource): Created {
    const { FunctionName, ...limitsOfEvents } = propertiesOf(resource, eventInvokeConfig);
    eventLimits.set(nameOf(FunctionName), limitsOfEvents);
    return { ref: resource.logicalId };
  }

  return {
    types: ['AWS::Lambda::Function', 'AWS::Lambda::Permission', 'AWS::Lambda::EventInvokeConfig'],
    create(resource) {
      if (resource.type === 'AWS::Lambda::Function') return createFunction(resource);
      return resource.type === 'AWS::Lambda::Permission'
        ? createPermission(resource)
        : createEventInvokeConfig(resource);
    },

    start() {
      const bootstrap = bundledWorker();
      for (const [name, spec] of specs)
        pools.set(name, createInstancePool({ ...spec, bootstrap, faults }, limits, share));
      return Promise.resolve();
    },

    async stop() {
      await Promise.all([...pools.values()].map((pool) => pool.end()));
    },

    async invoke(functionArnOrName, event, cause) {
      const name = nameOf(functionArnOrName);
      const [pool, spec] = [pools.get(name), specs.get(name)];
      if (!pool || !spec)
        throw new FunctionError('ResourceNotFoundException', `Function not found: ${functionArnOrName}`);
      const payload = JSON.stringify(event ?? null);
      const bytes = Buffer.byteLength(payload);
      if (bytes > MAX_PAYLOAD_BYTES) throw new RequestTooLarge(bytes);
      const trace = traceOf(spec.functionArn, cause);
      if (trace.rounds > MOST_ROUNDS && !recursive.has(name)) throw new RecursiveInvocation();
      if (underWay >= concurrentExecutions) throw new TooManyRequests();
      underWay += 1;
      const result = await pool
        .invoke({ requestId: randomUUID(), payload, trace: trace.header })
        .finally(() => (underWay -= 1));
      if (Buffer.byteLength(result) > MAX_RESULT_BYTES) {
        throw new FunctionError(
          'Function.ResponseSizeTooLarge',
          `Response payload size exceeded maximum allowed payload size (${MAX_RESULT_BYTES} bytes).`,
        );
      }
      return JSON.parse(result) as unknown;
    },

    eventLimitsOf: (functionArnOrName) => eventLimits.get(nameOf(functionArnOrName)) ?? {},

    deadLetterQueueOf: (functionArnOrName) => deadLetterQueues.get(nameOf(functionArnOrName)),

    timeoutOf(functionArnOrName) {
      const spec = specs.get(nameOf(functionArnOrName));
      if (!spec) throw new Error(`There is no function ${functionArnOrName}`);
      return spec.timeoutMs / 1000;
    },

    arnOf,
    has: (functionName) => specs.has(functionName),
    permits: permissions.permits,
  };
}

/** worker.ts as JavaScript: bundled once, so that no instance has to load a TypeScript loader. */
function bundledWorker(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(__dirname, 'worker.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
  });
  const [file] = outputFiles;
  if (!file) throw new Error('The bootstrap of the functions could not be bundled');
  return file.text;
}

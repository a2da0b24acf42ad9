/**
 * AWS Lambda: functions run from their bundled assets, each instance in a worker thread.
 * Behaviour: Lambda developer guide ("Lambda runtime environment", "Defined runtime environment variables", "Lambda
 * quotas") and API reference (Invoke, AddPermission).
 */
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { buildSync } from 'esbuild';
import { extname, join } from 'node:path';
import * as z from 'zod';
import { noMeter, type Meter } from '../billing/meter';
import { noMetrics, publishEmbedded, type Metrics } from '../cloudwatch/metrics';
import { noFaults, type Faults } from '../faults';
import { propertiesOf } from '../cloudformation/properties';
import { noQuotas, type Quotas } from '../quotas';
import type { PolicyDocument } from '../iam/policy';
import type { Created, Resource, Service } from '../service';
import { createFunctionCharges } from './charges';
import {
  checkDeadLetterQueue,
  functionConfigurationOf,
  nameOf,
  type FunctionConfiguration,
  type FunctionCredentials,
} from './function-configuration';
import {
  FunctionError,
  MAX_PAYLOAD_BYTES,
  MAX_RESULT_BYTES,
  RecursiveInvocation,
  RequestTooLarge,
  TooManyRequests,
} from './errors';
import {
  createInstanceBudget,
  createInstancePool,
  type BudgetLimits,
  type InstancePool,
  type PoolLimits,
} from './instances/instance-pool';
import { createPermissions } from './permissions';
import { MAX_RECURSIONS, traceOf } from './trace';

export { FunctionError, RecursiveInvocation, RequestTooLarge, FunctionTimedOut, TooManyRequests } from './errors';

export interface LambdaOptions {
  readonly region: string;
  readonly accountId: string;
  /** Cloud assembly (`cdk.out`), to which asset paths are relative. */
  readonly assemblyFolder: string;
  /** Output and errors of functions are appended here. */
  readonly logFile: string;
  /** `AWS_ENDPOINT_URL` of the functions. */
  readonly endpointUrl: string;
  /** Credentials of a function, by which the endpoint identifies its role. */
  credentialsOf(functionArn: string, roleArn: string): FunctionCredentials;
  /** Policy documents of a function's role. Default: the role is not checked. */
  policiesOf?(functionArn: string): readonly PolicyDocument[];
  /**
   * Default: 4 instances per function and 16 in total, one start per processor at a time, idle instances end after 60 s; those
   * whose call only waits, for a quarter of a second, don't count, up to 100.
   */
  readonly limits?: Partial<PoolLimits & BudgetLimits>;
  /** Default: none. Calls that wait for an instance count too, because an account would have started one. */
  readonly quotas?: Pick<Quotas, 'concurrentExecutions'>;
  /** Default: none. */
  readonly faults?: Pick<Faults, 'invocation'> & Partial<Pick<Faults, 'throttlesInvocation'>>;
  /** Default: none. */
  readonly meter?: Meter;
  /** Default: none. */
  readonly metrics?: Metrics;
  /** Resolves with whether code that the assembly lacks is there; calls wait for it. Without it such code is an error. */
  readonly completed?: Promise<boolean> | undefined;
}

export interface Lambda extends Service {
  /**
   * Invokes a function synchronously and resolves with its result after a JSON round trip.
   * `traceHeader` is the tracing header of the event, if it continues a chain of requests.
   * Rejects with FunctionError (`type` and message of the handler's error), FunctionTimedOut, RequestTooLarge,
   * TooManyRequests or RecursiveInvocation.
   */
  invoke(functionArnOrName: string, event: unknown, traceHeader?: string): Promise<unknown>;
  /** Publishes the age in ms of what a function is about to receive, as Lambda does for each attempt. */
  publishAge(functionArnOrName: string, metric: 'IteratorAge' | 'AsyncEventAge', ms: number): void;
  /** Whether an AWS::Lambda::Permission allows an AWS service to invoke the function on behalf of an ARN. */
  permits(functionArnOrName: string, principal: string, sourceArn: string): boolean;
  /** Retry limits of asynchronous invocations; empty for AWS's defaults. */
  eventLimitsOf(functionArnOrName: string): EventLimits;
  /** ARN of the function's dead-letter queue for failed asynchronous invocations; undefined when it has none. */
  deadLetterQueueOf(functionArnOrName: string): string | undefined;
  /** ARN for a function name, whether the function exists or not. */
  arnOf(functionName: string): string;
  has(functionName: string): boolean;
  /** Timeout of a function in seconds. @throws Error when the function does not exist */
  timeoutOf(functionArnOrName: string): number;
}

/** Destinations are not supported. */
const eventInvokeConfig = z.strictObject({
  FunctionName: z.string(),
  Qualifier: z.literal('$LATEST'),
  MaximumRetryAttempts: z.number().int().min(0).max(2).optional(),
  MaximumEventAgeInSeconds: z.number().int().min(60).max(21_600).optional(),
});

/** Limits of asynchronous invocations: Lambda API reference, PutFunctionEventInvokeConfig. */
export type EventLimits = Pick<z.output<typeof eventInvokeConfig>, 'MaximumRetryAttempts' | 'MaximumEventAgeInSeconds'>;

export function createLambda(options: LambdaOptions): Lambda {
  let giveUp: (isComplete: false) => void = () => undefined;
  const stopped = new Promise<false>((resolve) => (giveUp = resolve));
  const completed = options.completed && Promise.race([options.completed, stopped]);
  const configurations = new Map<string, FunctionConfiguration>();
  const pools = new Map<string, InstancePool>();
  const eventLimits = new Map<string, EventLimits>();
  const arnOf = (name: string) => `arn:aws:lambda:${options.region}:${options.accountId}:function:${name}`;
  const permissions = createPermissions(arnOf);
  const limits = {
    maxInstances: 4,
    maxTotal: 16,
    maxStarting: availableParallelism(),
    idleMs: 60_000,
    heldAfterMs: 250,
    maxHeld: 100,
    ...options.limits,
  };
  const { concurrentExecutions } = options.quotas ?? noQuotas;
  const { faults = noFaults, meter = noMeter, metrics = noMetrics } = options;
  const publishLine = (line: string) => publishEmbedded(line, metrics);
  let concurrent = 0;
  const rebalance = createInstanceBudget(pools, limits);

  function createFunction(resource: Resource): Created {
    const configuration = functionConfigurationOf(resource, arnOf, { ...options, completed });
    configurations.set(configuration.functionName, configuration);
    return { ref: configuration.functionName, attributes: { Arn: configuration.functionArn } };
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

  /** Publishes a metric of a function and of all functions together. */
  function publish(functionName: string, metric: string, value: number): void {
    metrics.put('AWS/Lambda', metric, value, { FunctionName: functionName });
    metrics.put('AWS/Lambda', metric, value);
  }

  /** An invocation that was not throttled. @param began by the clock of `performance` */
  function publishInvocation(functionName: string, errors: 0 | 1, began: number): void {
    publish(functionName, 'Invocations', 1);
    publish(functionName, 'Errors', errors);
    publish(functionName, 'Throttles', 0);
    publish(functionName, 'Duration', performance.now() - began);
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
      for (const one of configurations.values()) checkDeadLetterQueue(one, options.policiesOf?.(one.functionArn));
      const bootstrap = bundleWorker();
      for (const [name, { packaged: _, ...spec }] of configurations) {
        const charges = createFunctionCharges(meter, spec);
        pools.set(name, createInstancePool({ ...spec, bootstrap, faults, charges, publishLine }, limits, rebalance));
      }
      return Promise.resolve();
    },

    async stop() {
      giveUp(false);
      await Promise.all([...pools.values()].map((pool) => pool.end()));
    },

    async invoke(functionArnOrName, event, traceHeader) {
      const name = nameOf(functionArnOrName);
      const [pool, spec] = [pools.get(name), configurations.get(name)];
      if (!pool || !spec)
        throw new FunctionError('ResourceNotFoundException', `Function not found: ${functionArnOrName}`);
      const payload = JSON.stringify(event ?? null);
      const bytes = Buffer.byteLength(payload);
      if (bytes > MAX_PAYLOAD_BYTES) throw new RequestTooLarge(bytes);
      const trace = traceOf(spec.functionArn, traceHeader);
      if (trace.recursions > MAX_RECURSIONS && !spec.mayRecurse) throw new RecursiveInvocation();
      if (concurrent >= concurrentExecutions || faults.throttlesInvocation?.()) {
        publish(name, 'Throttles', 1);
        throw new TooManyRequests();
      }
      concurrent += 1;
      const began = performance.now();
      const result = await (spec.packaged?.() ?? Promise.resolve())
        .then(() => pool.invoke({ requestId: randomUUID(), payload, trace: trace.header }))
        .then(
          (returned) => {
            publishInvocation(name, 0, began);
            return returned;
          },
          (error: unknown) => {
            publishInvocation(name, 1, began);
            throw error;
          },
        )
        .finally(() => (concurrent -= 1));
      if (Buffer.byteLength(result) > MAX_RESULT_BYTES) {
        throw new FunctionError(
          'Function.ResponseSizeTooLarge',
          `Response payload size exceeded maximum allowed payload size (${MAX_RESULT_BYTES} bytes).`,
        );
      }
      return JSON.parse(result) as unknown;
    },

    publishAge: (functionArnOrName, metric, ms) =>
      metrics.put('AWS/Lambda', metric, ms, { FunctionName: nameOf(functionArnOrName) }),

    eventLimitsOf: (functionArnOrName) => eventLimits.get(nameOf(functionArnOrName)) ?? {},

    deadLetterQueueOf: (functionArnOrName) => configurations.get(nameOf(functionArnOrName))?.deadLetterQueueArn,

    timeoutOf(functionArnOrName) {
      const spec = configurations.get(nameOf(functionArnOrName));
      if (!spec) throw new Error(`There is no function ${functionArnOrName}`);
      return spec.timeoutMs / 1000;
    },

    arnOf,
    has: (functionName) => configurations.has(functionName),
    permits: permissions.permits,
  };
}

/** Bundles the worker to JavaScript once, so that instances need no TypeScript loader. */
function bundleWorker(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(__dirname, 'instances', `worker${extname(__filename)}`)],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
  });
  const [file] = outputFiles;
  if (!file) throw new Error('lambda/instances/worker could not be bundled');
  return file.text;
}

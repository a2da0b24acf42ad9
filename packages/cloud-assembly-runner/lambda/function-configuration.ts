/** AWS::Lambda::Function: CloudFormation template reference. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { propertiesOf } from '../cloudformation/properties';
import { evaluate, type PolicyDocument } from '../iam/policy';
import type { Resource } from '../service';
import { environmentOf, type FunctionCredentials } from './instances/environment';
import type { ChargedFunction } from './charges';
import type { InstanceSpec } from './instances/instance';
import { untilPackaged } from './late-package';
import { checkPackage } from './package-size';

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
  DeadLetterConfig: z
    .object({ TargetArn: z.string().regex(/^arn:[^:]+:sqs:/, 'only queues are supported') })
    .optional(),
  LoggingConfig: z
    .object({
      LogFormat: z.enum(['JSON', 'Text']).default('Text'),
      SystemLogLevel: z.enum(['DEBUG', 'INFO', 'WARN']).default('INFO'),
    })
    .default({ LogFormat: 'Text', SystemLogLevel: 'INFO' }),
  TracingConfig: z.object({ Mode: z.enum(['Active', 'PassThrough']) }).default({ Mode: 'PassThrough' }),
  RecursiveLoop: z.enum(['Allow', 'Terminate']).default('Terminate'),
  Environment: z.object({ Variables: z.record(z.string(), z.string()).default({}) }).default({ Variables: {} }),
});

/** What an instance needs to run the function, and how Lambda invokes it. */
export interface FunctionConfiguration
  extends Omit<InstanceSpec, 'bootstrap' | 'faults' | 'charges' | 'publishLine'>, ChargedFunction {
  /** RecursiveLoop is `Allow`. */
  readonly mayRecurse: boolean;
  /** Of failed asynchronous invocations. */
  readonly deadLetterQueueArn: string | undefined;
  /** Settles when code that the assembly lacks is there, or can't be run; undefined when it is there. */
  readonly packaged: (() => Promise<void>) | undefined;
}

interface Surroundings {
  readonly region: string;
  readonly assemblyFolder: string;
  readonly logFile: string;
  readonly endpointUrl: string;
  /** Resolves with whether files that the assembly lacks are there; without it they are an error. */
  readonly completed?: Promise<boolean> | undefined;
  credentialsOf(functionArn: string, roleArn: string): FunctionCredentials;
}

/**
 * The configuration of a function in the template.
 * @throws Error for a property that is not supported, for code that is not an asset, or for a package beyond Lambda's quota
 */
export function functionConfigurationOf(
  resource: Resource,
  arnOf: (functionName: string) => string,
  { region, assemblyFolder, logFile, endpointUrl, completed, credentialsOf }: Surroundings,
): FunctionConfiguration {
  const { Environment, Role, DeadLetterConfig, ...properties } = propertiesOf(resource, functionProperties);
  const assetPath = resource.metadata['aws:asset:path'];
  if (typeof assetPath !== 'string') throw new Error(`${resource.logicalId}: only code from an asset is supported`);
  const folder = join(assemblyFolder, assetPath);
  const check = () => checkPackage(folder, resource.logicalId);
  const packaged =
    completed && !existsSync(folder) ? once(() => untilPackaged(folder, completed).then(check)) : undefined;
  if (!packaged) check();
  const functionName = properties.FunctionName ?? resource.logicalId.slice(0, 64);
  const functionArn = arnOf(functionName);
  return {
    functionName,
    functionArn,
    folder,
    handler: properties.Handler,
    memorySize: properties.MemorySize,
    logFormat: properties.LoggingConfig.LogFormat,
    systemLogLevel: properties.LoggingConfig.SystemLogLevel,
    traced: properties.TracingConfig.Mode === 'Active',
    timeoutMs: properties.Timeout * 1000,
    logFile,
    environment: environmentOf(
      { ...properties, functionName, region, endpointUrl },
      Environment.Variables,
      credentialsOf(functionArn, Role),
    ),
    mayRecurse: properties.RecursiveLoop === 'Allow',
    deadLetterQueueArn: DeadLetterConfig?.TargetArn,
    packaged,
  };
}

/** Calls back at the first call only. */
function once<Result>(call: () => Result): () => Result {
  let result: { readonly of: Result } | undefined;
  return () => (result ??= { of: call() }).of;
}

/**
 * Lambda sends to a function's dead-letter queue with the role of the function, and checks that when it creates the function.
 * @param documents policies of the role; undefined: not checked
 * @throws Error when the role does not allow it
 */
export function checkDeadLetterQueue(
  { functionArn, deadLetterQueueArn }: FunctionConfiguration,
  documents: readonly PolicyDocument[] | undefined,
): void {
  if (deadLetterQueueArn === undefined || !documents) return;
  if (evaluate(documents, { action: 'sqs:SendMessage', resource: deadLetterQueueArn }) === 'allow') return;
  throw new Error(`the role of ${functionArn} does not allow sqs:SendMessage on ${deadLetterQueueArn}`);
}

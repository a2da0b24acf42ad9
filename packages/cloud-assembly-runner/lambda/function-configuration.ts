/**
 * Functions of a template: CloudFormation template reference, AWS::Lambda::Function; Lambda developer guide, "Working with
 * Lambda environment variables".
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { setTimeout as pause } from 'node:timers/promises';
import { propertiesOf } from '../cloudformation/properties';
import { evaluate, type PolicyDocument } from '../iam/policy';
import type { Resource } from '../service';
import type { ChargedFunction } from './charges';
import type { InstanceSpec } from './instances/instance';
import { FunctionError } from './errors';

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

/** Credentials with which a function's SDK signs its calls. */
export interface FunctionCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Values of the runtime's own variables. */
interface RuntimeFacts {
  readonly functionName: string;
  readonly Runtime: string;
  readonly Handler: string;
  readonly MemorySize: number;
  readonly region: string;
  readonly endpointUrl: string;
}

const MAX_ENVIRONMENT_BYTES = 4096;
/** "Defined runtime environment variables": those whose keys are reserved. */
const RESERVED =
  /^(_HANDLER|_X_AMZN_TRACE_ID|LAMBDA_(TASK_ROOT|RUNTIME_DIR)|AWS_(REGION|DEFAULT_REGION|EXECUTION_ENV|LAMBDA_.*|ACCESS_KEY|ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN))$/;
/** Pattern of names: Lambda API reference, CreateFunction, `Environment`. */
const NAME = /^[a-zA-Z]\w+$/;

/**
 * The environment of a function: its declared variables, those of the runtime, and of this process only PATH and TZ.
 * @throws Error for what fails a deployment to an account: a reserved or invalid name, more than 4 KB
 */
function environmentOf(
  { functionName, Runtime, Handler, MemorySize, region, endpointUrl }: RuntimeFacts,
  declared: Readonly<Record<string, string>>,
  credentials: FunctionCredentials,
): Record<string, string> {
  const reserved = Object.keys(declared).find((name) => RESERVED.test(name));
  if (reserved !== undefined) throw new Error(`Function ${functionName}: ${reserved} is reserved by Lambda`);
  const invalid = Object.keys(declared).find((name) => !NAME.test(name));
  if (invalid !== undefined) throw new Error(`Function ${functionName}: ${invalid} is not a valid variable name`);
  const bytes = Buffer.byteLength(Object.entries(declared).flat().join(''));
  if (bytes > MAX_ENVIRONMENT_BYTES) {
    throw new Error(
      `Function ${functionName}: the environment has ${bytes} bytes, Lambda allows ${MAX_ENVIRONMENT_BYTES}`,
    );
  }
  const { PATH, TZ } = process.env;
  return {
    // The SDK warns of this machine's Node.js version; Lambda's is newer.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    ...(PATH !== undefined && { PATH }),
    ...(TZ !== undefined && { TZ }),
    ...declared,
    _HANDLER: Handler,
    AWS_EXECUTION_ENV: `AWS_Lambda_${Runtime}`,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MemorySize),
    AWS_ENDPOINT_URL: endpointUrl,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: 'local',
  };
}

/** `arn:aws:lambda:region:account:function:name[:qualifier]` or a bare name. */
export function nameOf(functionArnOrName: string): string {
  return functionArnOrName.startsWith('arn:') ? (functionArnOrName.split(':')[6] ?? '') : functionArnOrName;
}

const LOOK_EVERY_MS = 20;

/**
 * Waits for the folder of code that the assembly does not have yet: `npm start` of an app builds it while the stack runs. The
 * folder appears at once with all its files.
 * @param completed resolves with whether the assembly has all its files
 * @throws FunctionError when it does not come
 */
async function untilPackaged(folder: string, completed: Promise<boolean>): Promise<void> {
  const ended = completed.then(() => true);
  while (!existsSync(folder)) {
    const isLast = await Promise.race([ended, pause(LOOK_EVERY_MS, false, { ref: false })]);
    if (isLast && !existsSync(folder))
      throw new FunctionError('Runtime.ImportModuleError', 'The code could not be built: the terminal says why');
  }
}

/** Deployment package, unzipped (Lambda quotas). */
const MAX_PACKAGE_BYTES = 250 * 1024 * 1024;

/** @throws Error when the function's code exceeds Lambda's quota */
function checkPackage(folder: string, logicalId: string): void {
  const bytes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  if (bytes <= MAX_PACKAGE_BYTES) return;
  throw new Error(`${logicalId}: the code has ${bytes} bytes, Lambda allows ${MAX_PACKAGE_BYTES}`);
}

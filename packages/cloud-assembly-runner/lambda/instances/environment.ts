/** Environment variables of a function: Lambda developer guide, "Working with Lambda environment variables". */

/** Credentials with which a function's SDK signs its calls. */
export interface FunctionCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Values of the runtime's own variables. */
export interface RuntimeFacts {
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
export function environmentOf(
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

/** The environment of a function: Lambda developer guide, "Working with Lambda environment variables". */

/** What the SDK of a function signs its calls with. */
export interface FunctionCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What the runtime's variables are made of. */
export interface RuntimeFacts {
  readonly functionName: string;
  readonly Runtime: string;
  readonly Handler: string;
  readonly MemorySize: number;
  readonly region: string;
  readonly endpointUrl: string;
}

const LIMIT_BYTES = 4096;
/** "Defined runtime environment variables": those whose keys are reserved. */
const RESERVED =
  /^(_HANDLER|_X_AMZN_TRACE_ID|LAMBDA_(TASK_ROOT|RUNTIME_DIR)|AWS_(REGION|DEFAULT_REGION|EXECUTION_ENV|LAMBDA_.*|ACCESS_KEY|ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN))$/;
/** What the API of Lambda takes: CreateFunction, `Environment`. */
const NAME = /^[a-zA-Z]\w+$/;

/**
 * Gives a function its own variables and those of the runtime, and nothing else of this process than where programs are
 * and the time zone. Throws for what would stop a deployment in an account: a reserved name, more than 4 KB.
 */
export function environmentOf(
  { functionName, Runtime, Handler, MemorySize, region, endpointUrl }: RuntimeFacts,
  own: Readonly<Record<string, string>>,
  credentials: FunctionCredentials,
): Record<string, string> {
  const reserved = Object.keys(own).find((name) => RESERVED.test(name));
  if (reserved !== undefined) throw new Error(`Function ${functionName}: ${reserved} is reserved by Lambda`);
  const unfit = Object.keys(own).find((name) => !NAME.test(name));
  if (unfit !== undefined) throw new Error(`Function ${functionName}: ${unfit} is no name for a variable of Lambda`);
  const bytes = Buffer.byteLength(Object.entries(own).flat().join(''));
  if (bytes > LIMIT_BYTES) {
    throw new Error(`Function ${functionName}: its environment has ${bytes} bytes, Lambda takes ${LIMIT_BYTES}`);
  }
  const { PATH, TZ } = process.env;
  return {
    // Lambda has a newer Node than the one that the SDK warns of.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    ...(PATH !== undefined && { PATH }),
    ...(TZ !== undefined && { TZ }),
    ...own,
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

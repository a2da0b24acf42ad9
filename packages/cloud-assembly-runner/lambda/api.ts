/** Lambda API: API reference, Invoke. */
import { randomUUID } from 'node:crypto';
import { failure } from '../aws-endpoint/aws-error';
import type { AwsAnswer, AwsApi, AwsCall, Service } from '../service';
import type { Sqs } from '../sqs';
import { FunctionError, MAX_PAYLOAD_BYTES, RecursiveInvocation, RequestTooLarge, TooManyRequests } from './errors';
import type { Lambda } from '.';
import { createAsyncInvoker } from './async-invoker';

/** Maximum payload of an asynchronous invocation (Lambda quotas, "Invocation payload"). */
const MAX_EVENT_BYTES = 1024 * 1024;

/** The one version of a function here. */
const LATEST = '$LATEST';

export interface LambdaApiOptions {
  readonly lambda: Pick<Lambda, 'invoke' | 'arnOf' | 'has' | 'eventLimitsOf' | 'deadLetterQueueOf'> &
    Partial<Pick<Lambda, 'publishAge'>>;
  /** Dead-letter queues of functions. Default: none. */
  readonly sqs?: Pick<Sqs, 'send'>;
  log(line: string): void;
}

/** Invoke with each invocation type; no qualifiers but `$LATEST`, no log tail, no client context. */
export function createLambdaApi({ lambda, sqs, log }: LambdaApiOptions): AwsApi & Service {
  const calls = createAsyncInvoker({ lambda, sqs, log });
  const invokedBy = (call: AwsCall) => invokedFunction(call, lambda.arnOf);

  /** How each invocation type is answered, when function and event are valid. */
  const invocations: Readonly<Record<string, (call: AwsCall, name: string, event: unknown) => Promise<AwsAnswer>>> = {
    RequestResponse: async ({ headers }, name, event) => {
      const trace = headers['x-amzn-trace-id'];
      try {
        return completed(await lambda.invoke(name, event, typeof trace === 'string' ? trace : undefined));
      } catch (error) {
        return answerTo(error);
      }
    },
    Event: (_, name, event) =>
      calls.invoke(lambda.arnOf(name), event)
        ? Promise.resolve({ status: 202, headers: requestId(), body: '' })
        : refuse(429, 'TooManyRequestsException', 'Rate Exceeded.'),
    DryRun: () => Promise.resolve({ status: 204, headers: requestId(), body: '' }),
  };

  /** Why the call names no function that can be invoked. */
  function refusalOf({ name, qualifier, isElsewhere, isContradictory }: InvokedFunction) {
    if (isContradictory) {
      const message = 'The derived qualifier from the function name does not match the specified qualifier.';
      return refuse(400, 'InvalidParameterValueException', message);
    }
    if (lambda.has(name) && !isElsewhere && (qualifier ?? LATEST) === LATEST) return undefined;
    const arn = [lambda.arnOf(name), ...(qualifier === undefined ? [] : [qualifier])].join(':');
    return refuse(404, 'ResourceNotFoundException', `Function not found: ${arn}`);
  }

  return {
    types: [],
    create: ({ type }) => {
      throw new Error(`${type} is not a type of the Lambda API`);
    },
    stop: () => calls.stop(),
    signingName: 'lambda',

    /**
     * A call with a qualifier needs the permission for the qualified ARN (Lambda developer guide, "Fine-tuning …
     * permissions").
     */
    permissions(call) {
      const { name = '*', qualifier } = invokedBy(call) ?? {};
      const resource = [lambda.arnOf(name), ...(qualifier === undefined ? [] : [qualifier])].join(':');
      return [{ action: 'lambda:InvokeFunction', resource }];
    },

    answer(call) {
      const invoked = invokedBy(call);
      if (!invoked)
        return refuse(501, 'NotImplemented', `${call.method} ${call.path} is not supported on this machine`);
      const { 'x-amz-invocation-type': type = 'RequestResponse' } = call.headers;
      const invoke = Object.hasOwn(invocations, String(type)) ? invocations[String(type)] : undefined;
      if (!invoke) return refuse(400, 'InvalidParameterValueException', `There is no invocation type ${String(type)}`);
      const unsupported = unsupportedHeader(call);
      if (unsupported !== undefined) return refuse(501, 'NotImplemented', `${unsupported} is not supported here`);
      const refusal = refusalOf(invoked);
      if (refusal) return refusal;
      const limit = type === 'Event' ? MAX_EVENT_BYTES : MAX_PAYLOAD_BYTES;
      if (call.body.length > limit) {
        return refuse(413, 'RequestTooLargeException', `Request must be smaller than ${limit} bytes`);
      }
      let event: unknown;
      try {
        event = JSON.parse(call.body.toString() || 'null');
      } catch {
        return refuse(400, 'InvalidRequestContentException', 'Could not parse request body into json');
      }
      return invoke(call, invoked.name, event);
    },
  };
}

/** What Invoke knows and this machine does not: a caller that relies on it must not miss it. */
function unsupportedHeader({ headers }: AwsCall): string | undefined {
  if (headers['x-amz-log-type'] === 'Tail') return 'The log type Tail';
  return headers['x-amz-client-context'] === undefined ? undefined : 'The client context';
}

const requestId = () => ({ 'x-amzn-requestid': randomUUID() });

/** A function that failed answers with 200, and with the error in place of the result. */
function completed(result: unknown, functionError?: string): AwsAnswer {
  return {
    status: 200,
    headers: {
      ...requestId(),
      'content-type': 'application/json',
      'x-amz-executed-version': LATEST,
      ...(functionError !== undefined && { 'x-amz-function-error': functionError }),
    },
    body: JSON.stringify(result),
  };
}

/** @throws an error that is none of Lambda's */
function answerTo(error: unknown): AwsAnswer | Promise<AwsAnswer> {
  if (error instanceof TooManyRequests) return refuse(429, 'TooManyRequestsException', 'Rate Exceeded.');
  if (error instanceof RequestTooLarge) return refuse(413, 'RequestTooLargeException', error.message);
  if (error instanceof RecursiveInvocation) return refuse(400, error.type, error.message);
  if (!(error instanceof FunctionError)) throw error;
  // Lambda developer guide, "Lambda function errors in Node.js"; the trace is in functions.log only.
  return completed({ errorType: error.type, errorMessage: error.message, trace: [] }, 'Unhandled');
}

const refuse = (status: number, code: string, message: string): Promise<AwsAnswer> =>
  Promise.resolve(failure('rest', status, code, message));

/** The function that a call of Invoke names. */
interface InvokedFunction {
  readonly name: string;
  /** Version or alias; undefined when the call names none. */
  readonly qualifier: string | undefined;
  /** Whether the ARN is of another account or Region. */
  readonly isElsewhere: boolean;
  /** Whether the path and the query name different qualifiers. */
  readonly isContradictory: boolean;
}

/** A name, `<account>:function:<name>` or an ARN, each with or without a qualifier. */
const FUNCTION_NAME =
  /^(?:arn:aws[\w-]*:lambda:([a-z\d-]+):)?(?:(\d{12}):)?(?:function:)?([\w-]{1,64})(?::(\$LATEST|[\w-]{1,128}))?$/;

/**
 * Reads the path of a call: Lambda API reference, Invoke, `FunctionName` and `Qualifier`.
 * @param arnOf ARN of a function of this account
 * @returns undefined for another path, or a name that no function has
 */
function invokedFunction(
  { method, path }: Pick<AwsCall, 'method' | 'path'>,
  arnOf: (name: string) => string,
): InvokedFunction | undefined {
  const { pathname, searchParams } = new URL(path, 'http://lambda');
  const [, reference] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(pathname) ?? [];
  if (method !== 'POST' || reference === undefined) return undefined;
  const [, region, account, name, suffix] = FUNCTION_NAME.exec(decodeURIComponent(reference)) ?? [];
  if (name === undefined) return undefined;
  const [, , , ownRegion, ownAccount] = arnOf(name).split(':');
  const asked = searchParams.get('Qualifier') ?? undefined;
  return {
    name,
    qualifier: suffix ?? asked,
    isElsewhere: (region ?? ownRegion) !== ownRegion || (account ?? ownAccount) !== ownAccount,
    isContradictory: suffix !== undefined && asked !== undefined && suffix !== asked,
  };
}

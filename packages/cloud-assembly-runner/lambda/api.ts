/** Lambda API, as far as functions call it: API reference, Invoke. */
import { randomUUID } from 'node:crypto';
import { failure } from '../aws-endpoint/aws-error';
import type { AwsAnswer, AwsApi, AwsCall, Service } from '../service';
import type { Sqs } from '../sqs';
import type { Lambda } from '.';
import { nameOf } from './function-name';
import { createAsyncInvoker } from './async-invoker';

/** Maximum payload of an asynchronous invocation (Lambda quotas, "Invocation payload"). */
const MAX_EVENT_BYTES = 1024 * 1024;

export interface LambdaApiOptions {
  readonly lambda: Pick<Lambda, 'invoke' | 'arnOf' | 'has' | 'eventLimitsOf' | 'deadLetterQueueOf'> &
    Partial<Pick<Lambda, 'publishAge'>>;
  /** Dead-letter queues of functions. Default: none. */
  readonly sqs?: Pick<Sqs, 'send'>;
  log(line: string): void;
}

/** Invoke with `X-Amz-Invocation-Type: Event`; synchronous invocations are not supported. */
export function createLambdaApi({ lambda, sqs, log }: LambdaApiOptions): AwsApi & Service {
  const calls = createAsyncInvoker({ lambda, sqs, log });
  return {
    types: [],
    create: ({ type }) => {
      throw new Error(`${type} is not a type of the Lambda API`);
    },
    stop: () => calls.stop(),
    signingName: 'lambda',

    permissions: (call) => [{ action: 'lambda:InvokeFunction', resource: lambda.arnOf(functionIn(call) ?? '*') }],

    answer(call) {
      const name = functionIn(call);
      if (name === undefined || call.headers['x-amz-invocation-type'] !== 'Event')
        return refuse(501, 'NotImplemented', `${call.method} ${call.path} is not supported on this machine`);
      if (!lambda.has(name))
        return refuse(404, 'ResourceNotFoundException', `Function not found: ${lambda.arnOf(name)}`);
      if (call.body.length > MAX_EVENT_BYTES)
        return refuse(413, 'RequestTooLargeException', `Request must be smaller than ${MAX_EVENT_BYTES} bytes`);
      let event: unknown;
      try {
        event = JSON.parse(call.body.toString() || 'null');
      } catch {
        return refuse(400, 'InvalidRequestContentException', 'Could not parse request body into json');
      }
      if (!calls.invoke(lambda.arnOf(name), event)) return refuse(429, 'TooManyRequestsException', 'Rate Exceeded.');
      return Promise.resolve({ status: 202, headers: { 'x-amzn-requestid': randomUUID() }, body: '' });
    },
  };
}

/** Name of the function in the path, where its ARN may stand too. */
function functionIn({ method, path }: AwsCall): string | undefined {
  const [, found] = /^\/2015-03-31\/functions\/([^/?]+)\/invocations$/.exec(path) ?? [];
  return method === 'POST' && found !== undefined ? nameOf(decodeURIComponent(found)) : undefined;
}

const refuse = (status: number, code: string, message: string): Promise<AwsAnswer> =>
  Promise.resolve(failure('rest', status, code, message));

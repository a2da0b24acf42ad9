import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/** The address of this worker's engine, which keeps its tables from one test file to the next. */
export function engineUrl(): string {
  const { ENGINES = '', JEST_WORKER_ID } = process.env;
  const url = ENGINES.split(' ')[Number(JEST_WORKER_ID) - 1];
  if (!url) throw new Error(`There is no engine for worker ${JEST_WORKER_ID}: see globalSetup in jest.config.mjs`);
  return url;
}

const region = 'eu-central-1';
const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'example' };

/** The engine wants to see a signature, and does not check it. */
const signature = {
  'x-amz-date': '20261127T000000Z',
  authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20261127/${region}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
};

/** Of a client of the SDK. */
export const engineConfig = () => ({
  endpoint: engineUrl(),
  region,
  credentials,
  signer: {
    sign<Request extends { readonly headers: object }>(request: Request): Promise<Request> {
      Object.assign(request.headers, signature);
      return Promise.resolve(request);
    },
  },
  // An idle connection is closed here before the engine does. The SDK would try again after a pause, which never ends
  // while a test has stopped the clock.
  requestHandler: { httpAgent: { keepAlive: true, timeout: 500 } },
});

/**
 * Asks the engine without the SDK, which takes three times as long: for what tests do with tables.
 * @param operation such as `PutItem`
 * @throws EngineError
 */
export async function ask(operation: string, input: object): Promise<Record<string, unknown>> {
  const headers = {
    ...signature,
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDB_20120810.${operation}`,
  };
  const { status, body } = await new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    request(engineUrl(), { method: 'POST', headers, agent: false }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode, body }), reject);
    })
      .on('error', reject)
      .end(JSON.stringify(input));
  });
  if (status !== 200) throw new EngineError(operation, body);
  return JSON.parse(body) as Record<string, unknown>;
}

export class EngineError extends Error {
  constructor(
    operation: string,
    readonly body: string,
  ) {
    super(`${operation}: ${body}`);
  }
}

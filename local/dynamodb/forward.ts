import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'undici';
import type { AwsAnswer, AwsCall } from '../service';

/** All callers are one to the engine: DynamoDB Local, for one, keeps the tables of each access key apart. */
export const accessKeyId = 'local';

/** Of a call's headers, what an engine reads beside the signature. */
const requestHeaders = ['content-type', 'x-amz-target', 'x-amz-date'];
/** Of an answer's headers, what the SDK reads. */
const responseHeaders = ['content-type', 'x-amz-crc32', 'x-amzn-requestid'];

/** An engine that has died is back within a second; one that is not is a breakdown. */
const BACK_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 50;

/**
 * Passes a call on to the engine; one that finds no engine waits until it is back, up to 10 s.
 * @throws Error of a call that the engine died over: it may have been done or not, as when a connection breaks
 */
export async function forward(engine: Pool, call: AwsCall): Promise<AwsAnswer> {
  const deadline = performance.now() + BACK_WITHIN_MS;
  for (;;) {
    try {
      return await send(engine, call);
    } catch (error) {
      if (!isRefused(error) || performance.now() > deadline) throw error;
      await pause(LOOK_AGAIN_MS);
    }
  }
}

/** Whatever made the error: to a jest test Node's own are of another class Error. */
function isRefused(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ECONNREFUSED';
}

/** Over connections that stay open; engines read the signature's form but do not check it. */
function send(engine: Pool, { method, path, headers, body }: AwsCall): Promise<AwsAnswer> {
  const authorization = String(headers['authorization']).replace(/Credential=[^/]+/, `Credential=${accessKeyId}`);
  const call = { method, path, headers: { ...only(requestHeaders, headers), authorization }, body };
  return new Promise((resolve, reject) => {
    let answer: Omit<AwsAnswer, 'body'>;
    const chunks: Buffer[] = [];
    // Every function waits here at every call: this is undici's shortest way.
    engine.dispatch(call, {
      onRequestStart: () => undefined,
      onResponseStart: (_, status, all) => (answer = { status, headers: only(responseHeaders, all) }),
      onResponseData: (_, chunk) => chunks.push(chunk),
      onResponseEnd: () => resolve({ ...answer, body: Buffer.concat(chunks) }),
      onResponseError: (_, error) => reject(error),
    });
  });
}

function only(names: readonly string[], headers: AwsCall['headers']): Record<string, string> {
  const given = names.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(given.filter((one): one is readonly [string, string] => typeof one[1] === 'string'));
}

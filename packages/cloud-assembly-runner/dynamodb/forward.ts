import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'undici';
import type { AwsAnswer, AwsCall } from '../service';

/** The engine sees one caller: DynamoDB Local, for one, separates tables by access key. */
export const accessKeyId = 'local';

/** Request headers that engines read, besides the signature. */
const requestHeaders = ['content-type', 'x-amz-target', 'x-amz-date'];
/** Response headers that the SDK reads. */
const responseHeaders = ['content-type', 'x-amz-crc32', 'x-amzn-requestid'];

/** A crashed engine is restarted within a second; otherwise the stack ends. */
const RESTART_TIMEOUT_MS = 10_000;
const RETRY_DELAY_MS = 50;

/**
 * Forwards a call to the engine; while the connection is refused, retries for up to 10 s.
 * @throws Error if the engine crashes during the call, which may then have been done or not
 */
export async function forward(engine: Pool, call: AwsCall): Promise<AwsAnswer> {
  const deadline = performance.now() + RESTART_TIMEOUT_MS;
  for (;;) {
    try {
      return await send(engine, call);
    } catch (error) {
      if (!isConnectionRefused(error) || performance.now() > deadline) throw error;
      await pause(RETRY_DELAY_MS);
    }
  }
}

/** Not `instanceof Error`: in jest, errors of Node.js have another class Error. */
function isConnectionRefused(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ECONNREFUSED';
}

/** Sends a call with the access key of the engine, which parses the signature but does not verify it. */
function send(engine: Pool, { method, path, headers, body }: AwsCall): Promise<AwsAnswer> {
  const authorization = String(headers['authorization']).replace(/Credential=[^/]+/, `Credential=${accessKeyId}`);
  const call = { method, path, headers: { ...only(requestHeaders, headers), authorization }, body };
  return new Promise((resolve, reject) => {
    let answer: Omit<AwsAnswer, 'body'>;
    const chunks: Buffer[] = [];
    // Every function call passes through here: this is undici's fastest interface.
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

/** "Length Constraints: Minimum length of 21" (Amazon DynamoDB Streams API reference, StreamRecord): clients check it. */
const SEQUENCE_NUMBER_LENGTH = 21;

/** A sequence number of the engine, which counts from 1 and understands leading zeros, as AWS writes it. */
export const sequenceNumber = (ofEngine: string): string => ofEngine.padStart(SEQUENCE_NUMBER_LENGTH, '0');

const SEQUENCE_NUMBERS = ['SequenceNumber', 'StartingSequenceNumber', 'EndingSequenceNumber'];

/** An answer of the engine about a stream with all sequence numbers as AWS writes them. */
export function withSequenceNumbers({ status, headers, body }: AwsAnswer): AwsAnswer {
  const value: unknown = JSON.parse(String(body), (name, one: unknown) =>
    SEQUENCE_NUMBERS.includes(name) && typeof one === 'string' ? sequenceNumber(one) : one,
  );
  // The checksum was that of the engine's text.
  const { 'x-amz-crc32': _, ...others } = headers;
  return { status, headers: others, body: JSON.stringify(value) };
}

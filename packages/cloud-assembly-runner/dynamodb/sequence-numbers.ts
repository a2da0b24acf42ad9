import type { AwsAnswer } from '../service';

/** "Length Constraints: Minimum length of 21" (Amazon DynamoDB Streams API reference, StreamRecord): clients check it. */
const LENGTH = 21;

/** A sequence number of the engine, which counts from 1 and understands leading zeros, as AWS writes it. */
export const sequenceNumber = (ofEngine: string): string => ofEngine.padStart(LENGTH, '0');

const NAMES = ['SequenceNumber', 'StartingSequenceNumber', 'EndingSequenceNumber'];

/** An answer of the engine about a stream with all sequence numbers as AWS writes them. */
export function withSequenceNumbers({ status, headers, body }: AwsAnswer): AwsAnswer {
  const value: unknown = JSON.parse(String(body), (name, one: unknown) =>
    NAMES.includes(name) && typeof one === 'string' ? sequenceNumber(one) : one,
  );
  // The checksum was that of the engine's text.
  const { 'x-amz-crc32': _, ...others } = headers;
  return { status, headers: others, body: JSON.stringify(value) };
}

/** Reads a table's stream: Amazon DynamoDB Streams API reference (DescribeStream, GetShardIterator, GetRecords). */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { sequenceNumber } from '../dynamodb/forward';

/** Position in a stream: the last processed record. */
export interface Position {
  readonly shardId: string;
  readonly sequenceNumber: string;
}

const streamRecord = z.looseObject({
  eventName: z.enum(['INSERT', 'MODIFY', 'REMOVE']),
  dynamodb: z.looseObject({
    Keys: z.record(z.string(), z.unknown()).optional(),
    SequenceNumber: z.string().transform(sequenceNumber),
    /** Unix seconds. */
    ApproximateCreationDateTime: z.number(),
    NewImage: z.unknown().optional(),
    OldImage: z.unknown().optional(),
  }),
});

/** A record in the API's JSON, which is also what functions receive. */
export type StreamRecord = z.infer<typeof streamRecord>;

/** Records of one shard in order. `end` is the position of the last record read, which may have been filtered out. */
export interface Page {
  readonly records: readonly StreamRecord[];
  /** Undefined when nothing was read. */
  readonly end?: Position;
}

export interface StreamReader {
  /** Reads up to `limit` records; after an error the next call retries from the same position. */
  read(limit: number): Promise<Page>;
}

const description = z.object({ StreamDescription: z.object({ Shards: z.array(z.object({ ShardId: z.string() })) }) });
const iteratorAnswer = z.object({ ShardIterator: z.string() });
const recordsAnswer = z.object({ Records: z.array(streamRecord), NextShardIterator: z.string().nullish() });

/** Maximum of GetRecords. */
const MAX_RECORDS = 1000;

/**
 * Reads the shards of a table's stream one after the other: local engines have one open shard at a time. Starts after a
 * position, or at the oldest record when the shard of the position has been trimmed.
 */
export function createStreamReader(
  engineUrl: string,
  streamArn: string,
  from: Position | 'TRIM_HORIZON' | 'LATEST',
): StreamReader {
  let position = typeof from === 'string' ? undefined : from;
  let shardId = position?.shardId;
  let iterator: string | undefined;
  let skipping = from === 'LATEST';

  const call = async <T>(operation: string, body: object, shape: z.ZodType<T>): Promise<T> => {
    const answer = await fetch(engineUrl, {
      method: 'POST',
      headers: headersFor(operation),
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${operation} of ${streamArn}: ${text}`);
    return shape.parse(JSON.parse(text));
  };

  const shards = async (): Promise<string[]> => {
    const { StreamDescription } = await call('DescribeStream', { StreamArn: streamArn }, description);
    return StreamDescription.Shards.map(({ ShardId }) => ShardId);
  };

  const open = async (): Promise<string | undefined> => {
    const all = await shards();
    if (shardId === undefined || !all.includes(shardId)) {
      position = undefined;
      shardId = skipping ? all.at(-1) : all[0];
    }
    if (shardId === undefined) return undefined;
    const start = position
      ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: position.sequenceNumber }
      : { ShardIteratorType: skipping ? 'LATEST' : 'TRIM_HORIZON' };
    const body = { StreamArn: streamArn, ShardId: shardId, ...start };
    return (await call('GetShardIterator', body, iteratorAnswer)).ShardIterator;
  };

  const readShard = async (limit: number): Promise<Page> => {
    const at = (iterator ??= await open());
    if (at === undefined || shardId === undefined) return { records: [] };
    iterator = undefined;
    const answer = await call('GetRecords', { ShardIterator: at, Limit: limit }, recordsAnswer);
    const last = answer.Records.at(-1);
    if (last) position = { shardId, sequenceNumber: last.dynamodb.SequenceNumber };
    iterator = answer.NextShardIterator ?? undefined;
    if (iterator === undefined) await openNext();
    return { records: answer.Records.filter(isChange), ...(last && position && { end: position }) };
  };

  /** Continues with the next shard after a closed one, as soon as it exists. */
  const openNext = async (): Promise<void> => {
    const all = await shards();
    const next = all[all.indexOf(shardId ?? '') + 1];
    if (next === undefined) return;
    shardId = next;
    position = undefined;
  };

  return {
    async read(limit) {
      // The engine's LATEST is somewhat before the end, because it compares sequence numbers as text.
      while (skipping) skipping = (await readShard(MAX_RECORDS)).end !== undefined;
      return readShard(Math.min(limit, MAX_RECORDS));
    },
  };
}

/** AWS has no record for a write that changes nothing; the engine has. */
function isChange({ eventName, dynamodb: { NewImage, OldImage } }: StreamRecord): boolean {
  return eventName !== 'MODIFY' || NewImage === undefined || !isDeepStrictEqual(NewImage, OldImage);
}

/** The engine parses the signature but does not verify it. */
function headersFor(operation: string): Record<string, string> {
  return {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
    'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
    authorization:
      'AWS4-HMAC-SHA256 Credential=local/20200101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  };
}

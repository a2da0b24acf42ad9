/** Reading a table's stream: Amazon DynamoDB Streams API reference (DescribeStream, GetShardIterator, GetRecords). */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';

/** The last record of a stream that was worked on. */
export interface Position {
  readonly shardId: string;
  readonly sequenceNumber: string;
}

const streamRecord = z.looseObject({
  eventName: z.enum(['INSERT', 'MODIFY', 'REMOVE']),
  dynamodb: z.looseObject({
    Keys: z.record(z.string(), z.unknown()).optional(),
    SequenceNumber: z.string(),
    /** Unix seconds. */
    ApproximateCreationDateTime: z.number(),
    NewImage: z.unknown().optional(),
    OldImage: z.unknown().optional(),
  }),
});

/** A change, in the API's JSON, which is the one that functions get. */
export type StreamRecord = z.infer<typeof streamRecord>;

/** Records of one shard in order, and where the page ends: after a record that is perhaps not among them. */
export interface Page {
  readonly records: readonly StreamRecord[];
  /** Nothing when nothing was read. */
  readonly end?: Position;
}

export interface StreamReader {
  /** The next records, at most so many; after an error the next call tries the same place again. */
  read(limit: number): Promise<Page>;
}

const description = z.object({ StreamDescription: z.object({ Shards: z.array(z.object({ ShardId: z.string() })) }) });
const iteratorAnswer = z.object({ ShardIterator: z.string() });
const recordsAnswer = z.object({ Records: z.array(streamRecord), NextShardIterator: z.string().nullish() });

/** GetRecords gives no more at once. */
const MOST_RECORDS = 1000;

/**
 * Reads the stream of a table, one shard after the other: the engines of one machine have one at a time. Goes on after a
 * position, or at the oldest record when what comes after it has been trimmed.
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
    const place = position
      ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: position.sequenceNumber }
      : { ShardIteratorType: skipping ? 'LATEST' : 'TRIM_HORIZON' };
    const body = { StreamArn: streamArn, ShardId: shardId, ...place };
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

  /** A closed shard is followed by the next one, as soon as there is one. */
  const openNext = async (): Promise<void> => {
    const all = await shards();
    const next = all[all.indexOf(shardId ?? '') + 1];
    if (next === undefined) return;
    shardId = next;
    position = undefined;
  };

  return {
    async read(limit) {
      // The engine's LATEST lies somewhat before the end: its numbers are compared as text there.
      while (skipping) skipping = (await readShard(MOST_RECORDS)).end !== undefined;
      return readShard(Math.min(limit, MOST_RECORDS));
    },
  };
}

/** A write that changes nothing has no record in AWS, but one in the engine. */
function isChange({ eventName, dynamodb: { NewImage, OldImage } }: StreamRecord): boolean {
  return eventName !== 'MODIFY' || NewImage === undefined || !isDeepStrictEqual(NewImage, OldImage);
}

/** The engine reads the form of a signature but does not check it. */
function headersFor(operation: string): Record<string, string> {
  return {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
    'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
    authorization:
      'AWS4-HMAC-SHA256 Credential=local/20200101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  };
}

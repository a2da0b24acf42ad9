import * as z from 'zod/mini';
import type { Organisation } from '../../domain/id';
import { BatchGetCommand, ScanCommand, type ScanCommandOutput } from '../store/document-client';
import { dynamodb, table } from '../store/dynamodb';

/** Only items of devices that are online have its key, `presentIn` (`lib/tables.ts`). */
const ONLINE_INDEX = 'online';
/** Keys of one read (DynamoDB API reference, BatchGetItem). */
const KEYS_IN_READ = 100;

const key = z.object({ organisation: z.string(), id: z.string() });
const heard = z.object({ ...key.shape, status: z.string(), reportedAt: z.string() });

/** A device that counts as online, and when it was heard of last, ISO 8601. */
export interface OnlineDevice {
  readonly organisation: Organisation;
  readonly deviceId: string;
  readonly reportedAt: string;
}

/**
 * All devices that count as online, of all organisations, up to a hundred at a time; those that DynamoDB leaves out of an
 * answer are there the next time. Of an item no more is read than that, so one that is broken hides no other.
 */
export async function* onlineDevices(): AsyncGenerator<OnlineDevice[]> {
  let from: ScanCommandOutput['LastEvaluatedKey'];
  do {
    const page: ScanCommandOutput = await dynamodb.send(
      new ScanCommand({
        TableName: table('FLEET'),
        IndexName: ONLINE_INDEX,
        Limit: KEYS_IN_READ,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    const keys = (page.Items ?? []).map((item) => key.parse(item));
    if (keys.length > 0) yield await readHeard(keys);
    from = page.LastEvaluatedKey;
  } while (from);
}

async function readHeard(keys: readonly z.output<typeof key>[]): Promise<OnlineDevice[]> {
  const request = {
    Keys: keys.map(({ organisation, id }) => ({ organisation, id })),
    ProjectionExpression: 'organisation, id, #status, reportedAt',
    ExpressionAttributeNames: { '#status': 'status' },
  };
  const { Responses } = await dynamodb.send(new BatchGetCommand({ RequestItems: { [table('FLEET')]: request } }));
  return (Responses?.[table('FLEET')] ?? [])
    .flatMap((item) => heard.safeParse(item).data ?? [])
    .filter(({ status }) => status === 'online')
    .map(({ organisation, id, reportedAt }) => ({ organisation, deviceId: id, reportedAt }));
}

import * as z from 'zod/mini';
import type { Organisation } from '../../domain/id';
import { BatchGetCommand, ScanCommand, type ScanCommandOutput } from '../store/document-client';
import { dynamodb, table } from '../store/dynamodb';

/** A sparse index: only items of online devices have its key, `presentIn` (`lib/tables.ts`). */
const ONLINE_INDEX = 'online';
/** Maximum of keys in one read (DynamoDB API reference, BatchGetItem). */
const MAX_KEYS = 100;

const key = z.object({ organisation: z.string(), id: z.string() });
const onlineItem = z.object({ ...key.shape, status: z.string(), reportedAt: z.string() });

/** An online device. */
export interface OnlineDevice {
  readonly organisation: Organisation;
  readonly deviceId: string;
  /** When its last report arrived, ISO 8601. */
  readonly reportedAt: string;
}

/**
 * Yields the online devices of all organisations, up to 100 at a time. A device that DynamoDB leaves out of a response is
 * found by the next run. Only these attributes are read, and an item that can't be parsed is skipped.
 */
export async function* onlineDevices(): AsyncGenerator<OnlineDevice[]> {
  let from: ScanCommandOutput['LastEvaluatedKey'];
  do {
    const page: ScanCommandOutput = await dynamodb.send(
      new ScanCommand({
        TableName: table('fleet'),
        IndexName: ONLINE_INDEX,
        Limit: MAX_KEYS,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    const keys = (page.Items ?? []).map((item) => key.parse(item));
    if (keys.length > 0) yield await readReportTimes(keys);
    from = page.LastEvaluatedKey;
  } while (from);
}

async function readReportTimes(keys: readonly z.output<typeof key>[]): Promise<OnlineDevice[]> {
  const request = {
    Keys: keys.map(({ organisation, id }) => ({ organisation, id })),
    ProjectionExpression: 'organisation, id, #status, reportedAt',
    ExpressionAttributeNames: { '#status': 'status' },
  };
  const { Responses } = await dynamodb.send(new BatchGetCommand({ RequestItems: { [table('fleet')]: request } }));
  return (Responses?.[table('fleet')] ?? [])
    .flatMap((item) => onlineItem.safeParse(item).data ?? [])
    .filter(({ status }) => status === 'online')
    .map(({ organisation, id, reportedAt }) => ({ organisation, deviceId: id, reportedAt }));
}

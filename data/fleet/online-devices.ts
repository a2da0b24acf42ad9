import * as z from 'zod/mini';
import type { Organisation } from '../../domain/values/id';
import { BatchGetCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { fleetKey } from './fleet-key';

/** A sparse index: only items of online devices have its key, `presentIn` (`lib/foundation/tables.ts`). */
const ONLINE_INDEX = 'online';
/** Maximum of keys in one read (DynamoDB API reference, BatchGetItem). */
const MAX_KEYS = 100;

const entry = z.object({ presentIn: z.string(), id: z.string() });
const onlineItem = z.object({ ...entry.shape, status: z.string(), reportedAt: z.string() });

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
  const pages = paginateScan(
    { client: dynamodb },
    {
      TableName: table('fleet'),
      IndexName: ONLINE_INDEX,
      Limit: MAX_KEYS,
    },
  );
  for await (const page of pages) {
    const entries = (page.Items ?? []).map((item) => entry.parse(item));
    if (entries.length > 0) yield await readReportTimes(entries);
  }
}

async function readReportTimes(entries: readonly z.output<typeof entry>[]): Promise<OnlineDevice[]> {
  const request = {
    Keys: entries.map(({ presentIn, id }) => fleetKey(presentIn, id)),
    ProjectionExpression: 'presentIn, id, #status, reportedAt',
    ExpressionAttributeNames: { '#status': 'status' },
  };
  const { Responses } = await dynamodb.send(new BatchGetCommand({ RequestItems: { [table('fleet')]: request } }));
  return (Responses?.[table('fleet')] ?? [])
    .flatMap((item) => onlineItem.safeParse(item).data ?? [])
    .filter(({ status }) => status === 'online')
    .map(({ presentIn, id, reportedAt }) => ({ organisation: presentIn, deviceId: id, reportedAt }));
}

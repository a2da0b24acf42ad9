/** The record of flights: an item for each position, of less than 1 kB, so that a write costs one unit. */
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { DEVICE_POINT_EVERY_S, intervalOf, recordedPoint, type RecordedPoint } from '../../domain/flight-record';
import { BatchWriteCommand, QueryCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { parseItems } from '../store/parse-items';

/** Maximum of items in one write (DynamoDB API reference, BatchWriteItem). */
const ITEMS_IN_WRITE = 25;
/** How often a write is sent while DynamoDB leaves out items. */
const MAX_WRITES = 4;
/** The first pause before the items that it left out are sent again, in ms; each is twice as long as the one before. */
const FIRST_PAUSE_MS = 25;
/** How long all writes of a batch may take together, in ms: the changes behind it wait. */
const WRITE_TIMEOUT_MS = 1000;
/** Positions that are read of one flight: ten hours, one a second. */
export const MAX_RECORDED_POINTS = 36_000;

/** A position to keep in a record. */
export interface FlightEntry {
  /** Whose record it is: a job's or a device's identifier. */
  readonly flight: string;
  readonly point: RecordedPoint;
  /** Of the positions within so many seconds, the one that is written last remains. */
  readonly everySeconds: number;
  /** How long it is kept, in seconds. */
  readonly keptSeconds: number;
}

const storedPoint = z.object({
  ...z.omit(recordedPoint, { timestamp: true, coordinates: true }).shape,
  /** Unix milliseconds. */
  ms: z.int(),
  longitude: z.number(),
  latitude: z.number(),
  altitude: z.number(),
});

function toItem({ flight, point, everySeconds, keptSeconds }: FlightEntry) {
  const { timestamp, coordinates, ...rest } = point;
  const [longitude, latitude, altitude] = coordinates;
  const ms = Date.parse(timestamp);
  const second = intervalOf(timestamp, everySeconds);
  return { flight, second, ttl: Math.ceil(ms / 1000) + keptSeconds, ms, longitude, latitude, altitude, ...rest };
}

function fromItem(item: Record<string, unknown>): RecordedPoint {
  const { ms, longitude, latitude, altitude, ...rest } = storedPoint.parse(item);
  return { ...rest, timestamp: new Date(ms).toISOString(), coordinates: [longitude, latitude, altitude] };
}

type Item = ReturnType<typeof toItem>;
type WriteRequests = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

async function write(items: readonly Item[]): Promise<void> {
  const abortSignal = AbortSignal.timeout(WRITE_TIMEOUT_MS);
  const name = table('flights');
  let requests: WriteRequests = items.map((Item) => ({ PutRequest: { Item } }));
  for (let sent = 1; ; sent += 1) {
    const command = new BatchWriteCommand({ RequestItems: { [name]: requests } });
    const { UnprocessedItems } = await dynamodb.send(command, { abortSignal });
    requests = UnprocessedItems?.[name] ?? [];
    if (requests.length === 0) return;
    if (sent === MAX_WRITES) throw new Error('the batch write to the flights table left out items');
    await pause(FIRST_PAUSE_MS * 2 ** (sent - 1));
  }
}

/**
 * Writes positions, 25 with each call. A repetition overwrites itself.
 * @throws Error when some could not be written within a second
 */
export async function savePoints(entries: readonly FlightEntry[]): Promise<void> {
  // DynamoDB refuses a batch that has a key twice.
  const items = [...new Map(entries.map(toItem).map((item) => [`${item.flight} ${item.second}`, item])).values()];
  const batches = Array.from({ length: Math.ceil(items.length / ITEMS_IN_WRITE) }, (_, index) =>
    items.slice(index * ITEMS_IN_WRITE, (index + 1) * ITEMS_IN_WRITE),
  );
  await Promise.all(batches.map(write));
}

/** A part of a record. */
interface Range {
  /** First and last key, Unix seconds. */
  readonly from: number;
  readonly to: number;
}

/**
 * The newest positions in a part of a record that have not expired, oldest first; a query for each megabyte. DynamoDB deletes
 * expired items up to days late.
 */
async function readBetween(flight: string, { from, to }: Range, now: Date): Promise<RecordedPoint[]> {
  const items: Record<string, unknown>[] = [];
  let after: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamodb.send(
      new QueryCommand({
        TableName: table('flights'),
        KeyConditionExpression: 'flight = :flight AND #second BETWEEN :from AND :to',
        FilterExpression: '#ttl > :now',
        ExpressionAttributeNames: { '#second': 'second', '#ttl': 'ttl' },
        ExpressionAttributeValues: {
          ':flight': flight,
          ':from': from,
          ':to': to,
          ':now': Math.floor(now.getTime() / 1000),
        },
        ScanIndexForward: false,
        Limit: MAX_RECORDED_POINTS - items.length,
        ...(after && { ExclusiveStartKey: after }),
      }),
    );
    items.push(...Items);
    after = LastEvaluatedKey;
  } while (after && items.length < MAX_RECORDED_POINTS);
  return parseItems(items.reverse(), fromItem);
}

/** The positions of a job's flight that are kept at `now`, oldest first; the last 36,000 of a longer one. */
export const readFlight = (jobId: string, now: Date): Promise<RecordedPoint[]> =>
  readBetween(jobId, { from: 0, to: Number.MAX_SAFE_INTEGER }, now);

/**
 * The positions of a device between two times, both included, that are kept at `now`, oldest first.
 * @param from ISO 8601, like `to`
 */
export async function readTrack(deviceId: string, from: string, to: string, now: Date): Promise<RecordedPoint[]> {
  // A position has the beginning of its interval as its key, which may be before `from`.
  const [first = 0, last = 0] = [from, to].map((each) => intervalOf(each, DEVICE_POINT_EVERY_S));
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  const points = await readBetween(deviceId, { from: first, to: last }, now);
  return points.filter(({ timestamp }) => Date.parse(timestamp) >= begin && Date.parse(timestamp) <= end);
}

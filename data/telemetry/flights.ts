/** The record of flights: an item for each position, of less than 1 kB, so that a write costs one unit. */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import {
  DEVICE_POINT_EVERY_S,
  DEVICE_POINT_KEPT_S,
  recordInterval,
  recordedPoint,
  type RecordedPoint,
} from '../../domain/telemetry/flight-record';
import type { RecordEntry } from '../../domain/fleet/sample-decision';
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { isRepeat, itemThatRefused } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';
import { setting } from '../store/environment';
import { parseItems } from '../store/query';

/** Positions that are read of one flight: ten hours, one a second. */
export const MAX_RECORDED_POINTS = 36_000;
const DAY_S = 24 * 60 * 60;

const storedPoint = z.object({
  ...z.omit(recordedPoint, { timestamp: true, coordinates: true }).shape,
  /** Unix milliseconds. */
  ms: z.int(),
  longitude: z.number(),
  latitude: z.number(),
  altitude: z.number(),
});

/** How long a position is kept, in seconds. */
const keptFor = {
  job: () => Number(setting('FLIGHT_RETENTION_DAYS')) * DAY_S,
  device: () => DEVICE_POINT_KEPT_S,
};

/**
 * The sort key of a position: the beginning of its interval in Unix seconds. A job that names no device may be flown by
 * several, whose positions of a second must not replace each other: so the key of a job's has a thousandth by its
 * device.
 */
function recordKey({ kind, flight, everySeconds, point: { timestamp, deviceId } }: RecordEntry) {
  const second = recordInterval(timestamp, everySeconds);
  if (kind === 'device') return { flight, second };
  const thousandth = createHash('sha256').update(deviceId).digest().readUInt32BE() % 1000;
  return { flight, second: (second * 1000 + thousandth) / 1000 };
}

const ttlOf = ({ point, kind }: RecordEntry) => Math.ceil(Date.parse(point.timestamp) / 1000) + keptFor[kind]();

/**
 * Whether a position is still to be kept. DynamoDB never deletes what expired more than five years ago (developer
 * guide, "Using time to live (TTL) in DynamoDB"), such as a sample of 1970.
 */
export const isRecordKept = (entry: RecordEntry, now: Date): boolean => ttlOf(entry) * 1000 > now.getTime();

function recordItem(entry: RecordEntry) {
  const { timestamp, coordinates, ...rest } = entry.point;
  const [longitude, latitude, altitude] = coordinates;
  return { ...recordKey(entry), ttl: ttlOf(entry), ms: Date.parse(timestamp), longitude, latitude, altitude, ...rest };
}

function pointFromItem(item: Record<string, unknown>): RecordedPoint {
  const { ms, longitude, latitude, altitude, ...rest } = storedPoint.parse(item);
  return { ...rest, timestamp: new Date(ms).toISOString(), coordinates: [longitude, latitude, altitude] };
}

/**
 * Records a position, unless an earlier one of its interval is recorded: so the order and the repetition of samples don't matter.
 * @returns whether it is new in the record
 * @throws the SDK's error when it could not be written
 */
export async function recordPosition(entry: RecordEntry): Promise<boolean> {
  const { since, point, sample } = entry;
  const ms = Date.parse(point.timestamp);
  try {
    await dynamodb.send(
      new PutCommand({
        TableName: table('flights'),
        Item: recordItem(entry),
        // While it is not known when the flight began, what is recorded may be the first position of it.
        ...condition({
          'attribute_not_exists(flight)': {},
          ...(since !== undefined && { 'ms > :ms OR ms < :since': { ':ms': ms, ':since': Date.parse(since) } }),
          ...(!sample && { 'ms = :ms': { ':ms': ms } }),
        }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return true;
  } catch (error) {
    const { found } = itemThatRefused(error);
    // The response to the first attempt was lost, and it had recorded the position.
    return isRepeat(error) && found?.['ms'] === ms;
  }
}

/** That one of some conditions holds, each with its values. */
function condition(any: Readonly<Record<string, Readonly<Record<string, number>>>>) {
  const values = Object.assign({}, ...Object.values(any)) as Record<string, number>;
  return {
    ConditionExpression: Object.keys(any).join(' OR '),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
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
  return parseItems(items.reverse(), pointFromItem);
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
  const [first = 0, last = 0] = [from, to].map((each) => recordInterval(each, DEVICE_POINT_EVERY_S));
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  const points = await readBetween(deviceId, { from: first, to: last }, now);
  return points.filter(({ timestamp }) => Date.parse(timestamp) >= begin && Date.parse(timestamp) <= end);
}

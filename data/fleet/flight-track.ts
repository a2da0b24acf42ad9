/**
 * The tracks of flights, in the table of requests, which has a time to live and no stream. An item holds the points of one
 * minute, so that it stays under 1 kB: each write is one write unit, however long the flight.
 */
import * as z from 'zod/mini';
import type { Device } from '../../domain/fleet';
import { pointOf, type TakeOff, type TrackPoint } from '../../domain/flight';
import type { DeviceState } from '../../domain/telemetry';
import { BatchGetCommand, UpdateCommand } from '../store/document-client';
import { dynamodb, table } from '../store/dynamodb';
import { parseItems } from '../store/parse-items';

/** One point is kept of each of these intervals, in ms. */
const POINT_EVERY_MS = 5000;
const CHUNK_MS = 60_000;
/** How long a point is kept, in ms. */
export const TRACK_KEPT_MS = 24 * 60 * 60_000;
/** Maximum of keys in one read (DynamoDB API reference, BatchGetItem). */
const KEYS_IN_READ = 100;
/** How long a write may take, in ms: it is not worth that a publisher waits longer for its answer. */
const WRITE_TIMEOUT_MS = 500;

const intervalOf = (timestamp: string) => Math.floor(Date.parse(timestamp) / POINT_EVERY_MS);
const chunkOf = (ms: number) => Math.floor(ms / CHUNK_MS);
const idOf = (deviceId: string, chunk: number) => `track#${deviceId}#${chunk}`;

/** Unix milliseconds, longitude, latitude, altitude, and the ground speed if it is known. */
const storedPoint = z.array(z.number()).check(z.minLength(4), z.maxLength(5));

/**
 * Whether a state that is being stored is a point of the track: the first one of its five seconds, or of its flight. All
 * instances of all functions agree on it, since it follows from the state that is replaced.
 * @param device as it was before
 * @param takeOff of the flight that it is in with this state; undefined when it is not in flight
 */
export const isPointDue = (
  { lastState, takeOff: before }: Pick<Device, 'lastState' | 'takeOff'>,
  state: DeviceState,
  takeOff: TakeOff | undefined,
): boolean =>
  takeOff !== undefined &&
  (before === undefined || !lastState || intervalOf(state.timestamp) > intervalOf(lastState.timestamp));

/** Stores the position of a state, if it has one, by one write. A repetition has no further effect. */
export async function savePoint(deviceId: string, state: DeviceState): Promise<void> {
  const point = pointOf(state);
  if (!point) return;
  const ms = Date.parse(point.timestamp);
  const command = new UpdateCommand({
    TableName: table('requests'),
    Key: { id: idOf(deviceId, chunkOf(ms)) },
    UpdateExpression: 'SET #point = :point, #ttl = :ttl',
    ExpressionAttributeNames: { '#point': `p${Math.floor((ms % CHUNK_MS) / POINT_EVERY_MS)}`, '#ttl': 'ttl' },
    ExpressionAttributeValues: {
      ':point': [ms, ...point.coordinates, ...(point.groundSpeed === undefined ? [] : [point.groundSpeed])],
      ':ttl': Math.ceil((ms + TRACK_KEPT_MS) / 1000),
    },
  });
  await dynamodb.send(command, { abortSignal: AbortSignal.timeout(WRITE_TIMEOUT_MS) });
}

function fromStored(value: unknown): TrackPoint {
  const [ms = 0, longitude = 0, latitude = 0, altitude = 0, groundSpeed] = storedPoint.parse(value);
  return {
    timestamp: new Date(ms).toISOString(),
    coordinates: [longitude, latitude, altitude],
    ...(groundSpeed !== undefined && { groundSpeed }),
  };
}

const pointsIn = (item: Record<string, unknown>): TrackPoint[] =>
  Object.entries(item)
    .filter(([name]) => /^p\d+$/.test(name))
    .map(([, value]) => fromStored(value));

async function readChunks(ids: readonly string[]): Promise<TrackPoint[]> {
  const { Responses, UnprocessedKeys } = await dynamodb.send(
    new BatchGetCommand({ RequestItems: { [table('requests')]: { Keys: ids.map((id) => ({ id })) } } }),
  );
  if (UnprocessedKeys?.[table('requests')]) throw new Error('the batch read of a track left out keys');
  return parseItems(Responses?.[table('requests')] ?? [], pointsIn).flat();
}

/**
 * The points of a device between two times, both included, oldest first, at most those of the last 24 hours before `to`; one
 * read for each 100 minutes.
 * @param from ISO 8601, like `to`
 * @throws Error when DynamoDB left out a key
 */
export async function readTrack(deviceId: string, from: string, to: string): Promise<TrackPoint[]> {
  const end = Date.parse(to);
  const begin = Math.max(Date.parse(from), end - TRACK_KEPT_MS);
  const first = chunkOf(begin);
  const ids = Array.from({ length: chunkOf(end) - first + 1 }, (_, index) => idOf(deviceId, first + index));
  const reads = Array.from({ length: Math.ceil(ids.length / KEYS_IN_READ) }, (_, index) =>
    readChunks(ids.slice(index * KEYS_IN_READ, (index + 1) * KEYS_IN_READ)),
  );
  const points = (await Promise.all(reads)).flat().map((point) => ({ point, at: Date.parse(point.timestamp) }));
  return points
    .filter(({ at }) => at >= begin && at <= end)
    .toSorted((one, other) => one.at - other.at)
    .map(({ point }) => point);
}

import * as z from 'zod/mini';
import { toTrackPoint, trackPoint } from './flight';
import { measuredAt, type KnownState } from './known-state';
import { mayBeAsLate } from '../values/reported-time';
import { splitAtGaps, thinOutLines } from './track-lines';

/**
 * A position in the record of a flight, with what else its sample says: metres per second, degrees from true north, percent.
 */
export const recordedPoint = z.object({
  deviceId: z.string(),
  ...trackPoint.shape,
  verticalSpeed: z.optional(z.number()),
  heading: z.optional(z.number()),
  droneState: z.optional(z.string()),
  batteryPercent: z.optional(z.number()),
});
export type RecordedPoint = z.output<typeof recordedPoint>;

/** A position of a job's flight is kept once in this many seconds. */
export const JOB_POINT_EVERY_S = 1;
/** A position of a device in flight, with or without a job, is kept once in this many seconds, for its share pages. */
export const DEVICE_POINT_EVERY_S = 5;
/** How long a position of a device is kept, in seconds. */
export const DEVICE_POINT_KEPT_S = 24 * 60 * 60;

/** Positions of a device in a track; a longer one is thinned out. In any format they are less than the 6 MB of a response. */
export const MAX_TRACK_POSITIONS = 10_000;

const round = (value: number, digits: number) => Number(value.toFixed(digits));
const roundIf = (value: number | undefined, digits: number) => (value === undefined ? value : round(value, digits));

/** What was measured so long before a position is recorded with it, in ms: its values come apart. */
const MAX_APART_MS = 10_000;

/**
 * The position of a state, as it is recorded, with what was measured up to ten seconds before it.
 * @returns undefined when it has none
 */
export function toRecordedPoint(deviceId: string, state: KnownState): RecordedPoint | undefined {
  const point = toTrackPoint(state);
  if (!point) return undefined;
  const apart = (path: string) => Date.parse(point.timestamp) - (measuredAt(state, path) ?? -Infinity);
  const near = <Value>(path: string, value: Value | undefined) =>
    apart(path) >= 0 && apart(path) <= MAX_APART_MS ? value : undefined;
  const { navigation: { orientation, velocity } = {}, droneState, battery } = state;
  const { groundSpeed, ...place } = point;
  const speed = near('navigation.velocity.groundSpeed', groundSpeed);
  return {
    deviceId,
    ...place,
    ...(speed !== undefined && { groundSpeed: speed }),
    verticalSpeed: roundIf(near('navigation.velocity.verticalSpeed', velocity?.verticalSpeed), 1),
    heading: roundIf(near('navigation.orientation.heading', orientation?.heading), 1),
    droneState: near('droneState', droneState),
    batteryPercent: roundIf(near('battery.percent', battery?.percent), 1),
  };
}

/** The beginning of the interval of so many seconds that a time is in, Unix seconds. @param timestamp ISO 8601 */
export const recordInterval = (timestamp: string, seconds: number) =>
  Math.floor(Date.parse(timestamp) / 1000 / seconds) * seconds;

/** When a job was flown, by the clock of whoever said so; ISO 8601 in UTC. Undefined until it begins or ends. */
export const flightTimes = z.object({ startedAt: z.optional(z.string()), endedAt: z.optional(z.string()) });
export type FlightTimes = z.output<typeof flightTimes>;

/**
 * Whether a time may be within a flight, as far as it is known when that began and ended. The platform says when, and a
 * device when it measured: their clocks differ, so both ends have a margin.
 * @param timestamp ISO 8601
 */
export const isWithin = ({ startedAt, endedAt }: FlightTimes, timestamp: string): boolean =>
  (startedAt === undefined || mayBeAsLate(timestamp, startedAt)) &&
  (endedAt === undefined || mayBeAsLate(endedAt, timestamp));

/** The positions of a job's flight: none when it never began. */
export const flownPoints = (times: FlightTimes, points: readonly RecordedPoint[]): readonly RecordedPoint[] =>
  times.startedAt === undefined ? [] : points.filter(({ timestamp }) => isWithin(times, timestamp));

/** What one device flew of a job. */
export interface DeviceTrack {
  readonly deviceId: string;
  /** How many positions were recorded. */
  readonly recorded: number;
  /** Its parts between gaps, oldest first: at most {@link MAX_TRACK_POSITIONS} positions, evenly chosen. */
  readonly lines: readonly (readonly RecordedPoint[])[];
}

/**
 * The tracks in a record, by device in order of their first positions: several devices may fly a job that names none.
 * @param points oldest first
 */
export function groupByDevice(points: readonly RecordedPoint[]): DeviceTrack[] {
  const deviceIds = [...new Set(points.map(({ deviceId }) => deviceId))];
  return deviceIds.map((deviceId) => {
    const own = points.filter((point) => point.deviceId === deviceId);
    // A thinned track has longer steps, which are no gaps.
    return { deviceId, recorded: own.length, lines: thinOutLines(splitAtGaps(own), MAX_TRACK_POSITIONS) };
  });
}

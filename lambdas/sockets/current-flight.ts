import { MAX_TRACK_POINTS, type FlightMessage } from '../../contract/telemetry';
import { readTrack } from '../../data/flights/flights';
import type { Device } from '../../domain/fleet';
import { pointOf, thinOut, type TrackPoint } from '../../domain/flight';
import { DEVICE_POINT_KEPT_S, type RecordedPoint } from '../../domain/flight-record';

const pointIn = ({ timestamp, coordinates, groundSpeed }: RecordedPoint): TrackPoint => ({
  ...{ timestamp, coordinates },
  ...(groundSpeed !== undefined && { groundSpeed }),
});

/** Take-off and track of the flight that a device is in, up to its last known state; an empty track when it is not in flight. */
export async function currentFlight(device: Device, now: Date): Promise<Pick<FlightMessage, 'takeOff' | 'track'>> {
  const { deviceId, lastState, takeOff } = device;
  if (!takeOff || !lastState) return { track: [] };
  if (Date.parse(lastState.timestamp) < now.getTime() - DEVICE_POINT_KEPT_S * 1000) return { track: [] };
  const stored = (await readTrack(deviceId, takeOff.timestamp, lastState.timestamp)).map(pointIn);
  const last = pointOf(lastState);
  const points = last && stored.at(-1)?.timestamp !== last.timestamp ? [...stored, last] : stored;
  const { timestamp, altitude } = takeOff;
  return {
    ...(altitude !== undefined && { takeOff: { timestamp: new Date(timestamp).toISOString(), altitude } }),
    track: [...thinOut(points, MAX_TRACK_POINTS)],
  };
}

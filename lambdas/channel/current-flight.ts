import { MAX_TRACK_POINTS, type FlightMessage } from '../../contract/telemetry';
import { readTrack, TRACK_KEPT_MS } from '../../data/fleet/flight-track';
import type { Device } from '../../domain/fleet';
import { pointOf, thinOut } from '../../domain/flight';

/** Take-off and track of the flight that a device is in, up to its last known state; an empty track when it is not in flight. */
export async function currentFlight(device: Device, now: Date): Promise<Pick<FlightMessage, 'takeOff' | 'track'>> {
  const { deviceId, lastState, takeOff } = device;
  if (!takeOff || !lastState || Date.parse(lastState.timestamp) < now.getTime() - TRACK_KEPT_MS) return { track: [] };
  const stored = await readTrack(deviceId, takeOff.timestamp, lastState.timestamp);
  const last = pointOf(lastState);
  const points = last && stored.at(-1)?.timestamp !== last.timestamp ? [...stored, last] : stored;
  const { timestamp, altitude } = takeOff;
  return {
    ...(altitude !== undefined && { takeOff: { timestamp: new Date(timestamp).toISOString(), altitude } }),
    track: [...thinOut(points, MAX_TRACK_POINTS)],
  };
}

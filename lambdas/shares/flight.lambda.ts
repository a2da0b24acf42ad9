import * as actions from '../../contract/shares/viewers.actions';
import type { FlightMessage } from '../../contract/shares/viewer-protocol';
import { MAX_TRACK_POINTS } from '../../contract/telemetry/max-track-points';
import { readDevice } from '../../data/fleet/devices';
import { readTrack } from '../../data/telemetry/flights';
import { readOwnJob } from '../../data/jobs/jobs';
import { readMissionLine } from '../../data/missions/mission-lines';
import { isActive } from '../../data/access/organisation-status';
import { readShare } from '../../data/shares/shares';
import type { Device } from '../../domain/fleet/device';
import { toTrackPoint, thinOut, type TrackPoint } from '../../domain/telemetry/flight';
import { DEVICE_POINT_KEPT_S, type RecordedPoint } from '../../domain/telemetry/flight-record';
import { Refusal } from '../../domain/values/refusal';
import { flownMission, flownWay } from '../../domain/shares/route';
import { answer } from '../sockets/action';

export const handler = answer('flight', actions.flight, async ({ session, now }) => {
  const { shareCode, organisation, deviceId } = session;
  const share = await readShare(shareCode, now.toISOString());
  if (!share || !(await isActive(organisation))) throw new Refusal('share_not_found');
  const device = await readDevice(organisation, deviceId);
  // Without its device a share shows nothing any more.
  if (!device) throw new Refusal('share_not_found');
  const [job, flight] = await Promise.all([
    readOwnJob(organisation, device.lastState?.jobId),
    currentFlight(device, now),
  ]);
  const mission = flownMission(job, deviceId);
  const line = mission && (await readMissionLine(mission));
  return {
    type: 'share.flight',
    deviceName: device.name,
    ...(job && { jobName: job.name }),
    ...flownWay(job, deviceId, flight.track[0]?.coordinates, line?.waypoints),
    ...flight,
  };
});

/** Take-off and track of the flight that a device is in, up to its last known state; an empty track when it is not in flight. */
async function currentFlight(device: Device, now: Date): Promise<Pick<FlightMessage, 'takeOff' | 'track'>> {
  const { deviceId, lastState, takeOff } = device;
  if (!takeOff || !lastState) return { track: [] };
  if (Date.parse(lastState.timestamp) < now.getTime() - DEVICE_POINT_KEPT_S * 1000) return { track: [] };
  const stored = (await readTrack(deviceId, takeOff.timestamp, lastState.timestamp, now)).map(pointIn);
  const { timestamp, altitude } = takeOff;
  const last = toTrackPoint(lastState);
  // What was known before the take-off, and has not been measured since, is of another place.
  const isFurther = last !== undefined && last.timestamp >= timestamp && stored.at(-1)?.timestamp !== last.timestamp;
  const points = isFurther ? [...stored, last] : stored;
  return {
    ...(altitude !== undefined && { takeOff: { timestamp: new Date(timestamp).toISOString(), altitude } }),
    track: [...thinOut(points, MAX_TRACK_POINTS)],
  };
}

const pointIn = ({ timestamp, coordinates, groundSpeed }: RecordedPoint): TrackPoint => ({
  timestamp,
  coordinates,
  ...(groundSpeed !== undefined && { groundSpeed }),
});

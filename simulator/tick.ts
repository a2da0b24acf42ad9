import type { InboundEvent } from '../contract/platform';
import type { Flight } from './course';
import { atRest, flightAt } from './flight';
import { deviceFor } from './device-choice';
import { dockPositionOf } from './dock-position';
import type { SimulatedDevice } from './inventory';
import { endMission, storeReportCount, assignMission, type Mission } from './missions';
import { progressAt } from './progress';
import { publishReports } from './publish-reports';
import { freeAt, reportsOf } from './reports';

export interface Fleet {
  readonly seed: string;
  /** Time factor of missions: 1 is real time. */
  readonly speed: number;
  readonly devices: readonly SimulatedDevice[];
  /** Whether idle devices report in this tick. */
  readonly idleReports: boolean;
}

type Flying = Mission & { readonly deviceId: string; readonly takenAt: string };
const isFlying = (mission: Mission): mission is Flying =>
  mission.state === 'flying' && mission.deviceId !== undefined && mission.takenAt !== undefined;

/** Missions in flight, by device id. */
export type Flights = ReadonlyMap<string, Flying>;

/** Maximum samples in one event of the bus. */
const MAX_SAMPLES_PER_EVENT = 100;

/** Assigns waiting missions to available devices, by priority and then by age. */
async function assignMissions(missions: readonly Mission[], { devices, seed }: Fleet, now: Date): Promise<Flying[]> {
  const taken: Flying[] = [];
  const busy = new Set(missions.filter(isFlying).map(({ deviceId }) => deviceId));
  const waiting = missions
    .filter(({ state, scheduledAt }) => state === 'waiting' && (scheduledAt ?? '') <= now.toISOString())
    .sort((one, other) => other.priority - one.priority || (one.jobId < other.jobId ? -1 : 1));
  for (const mission of waiting) {
    const free = devices.filter(({ deviceId }) => !busy.has(deviceId));
    const device = deviceFor(mission, free, seed);
    if (!device || !(await assignMission(mission.jobId, device.deviceId, now))) continue;
    busy.add(device.deviceId);
    taken.push({ ...mission, state: 'flying', deviceId: device.deviceId, takenAt: now.toISOString() });
  }
  return taken;
}

/** Seconds of the mission in a second. */
const speedOf = ({ plan }: Flying, { speed }: Fleet) => speed * plan.speed;

/** Seconds of the mission. */
const elapsedOf = (mission: Flying, fleet: Fleet, now: Date) =>
  ((now.getTime() - Date.parse(mission.takenAt)) / 1000) * speedOf(mission, fleet);

const flightOf = ({ jobId, deviceId, deviceGroupId, plan }: Flying, { seed }: Fleet): Flight => ({
  seed,
  jobId,
  dock: dockPositionOf(seed, deviceGroupId, deviceId),
  plan,
});

/** Publishes the reports due by now, then stores their count: at-least-once delivery. */
async function publishDueReports(mission: Flying, fleet: Fleet, now: Date): Promise<void> {
  const { jobId, deviceId, reported } = mission;
  const flight = flightOf(mission, fleet);
  const elapsed = elapsedOf(mission, fleet, now);
  const due = reportsOf(flight).filter(({ at }) => at <= elapsed);
  const at = now.toISOString();
  await publishReports(
    due.slice(reported).map(({ at: reachedAt, status, reason, plannedFlight }) => {
      const progress = progressAt(flight, reachedAt, speedOf(mission, fleet));
      const detail = { jobId, status, at, deviceId, reason, plannedFlight, progress };
      return { type: 'job.status.reported', detail } as const;
    }),
  );
  if (elapsed >= freeAt(flight)) await endMission(jobId, now);
  else if (due.length > reported) await storeReportCount(jobId, due.length);
}

function sampleOf({ deviceId, deviceGroupId }: SimulatedDevice, mission: Flying | undefined, fleet: Fleet, now: Date) {
  const dock = dockPositionOf(fleet.seed, deviceGroupId, deviceId);
  const timestamp = now.toISOString();
  if (!mission) return fleet.idleReports ? [{ deviceId, timestamp, ...atRest(dock) }] : [];
  const [flight, elapsed] = [flightOf(mission, fleet), elapsedOf(mission, fleet, now)];
  const state = flightAt(flight, elapsed);
  const progress = progressAt(flight, elapsed, speedOf(mission, fleet));
  return state ? [{ deviceId, timestamp, jobId: mission.jobId, ...state, progress }] : [];
}

/** Starts a tick: assigns missions and reports their progress. @returns the missions in flight */
export async function tick(missions: readonly Mission[], fleet: Fleet, now: Date): Promise<Flights> {
  const flying = [...missions.filter(isFlying), ...(await assignMissions(missions, fleet, now))];
  for (const mission of flying) await publishDueReports(mission, fleet, now);
  return new Map(flying.map((mission) => [mission.deviceId, mission]));
}

/** Publishes a telemetry sample of some of the devices. */
export async function publishTelemetry(
  devices: readonly SimulatedDevice[],
  flights: Flights,
  fleet: Fleet,
  now: Date,
): Promise<void> {
  const samples = devices.flatMap((device) => sampleOf(device, flights.get(device.deviceId), fleet, now));
  const events: InboundEvent[] = [];
  for (let index = 0; index < samples.length; index += MAX_SAMPLES_PER_EVENT) {
    events.push({
      type: 'device.telemetry.reported',
      detail: { telemetry: samples.slice(index, index + MAX_SAMPLES_PER_EVENT) },
    });
  }
  await publishReports(events);
}

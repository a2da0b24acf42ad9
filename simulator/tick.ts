import { atRest, flightAt } from './flight';
import { homeOf } from './home';
import type { SimulatedDevice } from './inventory';
import { endMission, noteReported, takeMission, type Mission } from './missions';
import { freeAt, reportsOf } from './plan';
import { publishReports, type PlatformReport } from './publish-reports';

export interface World {
  readonly seed: string;
  /** How much faster than real time missions are flown. */
  readonly speed: number;
  readonly devices: readonly SimulatedDevice[];
  /** Whether devices at rest report now. */
  readonly restReports: boolean;
}

type Flying = Mission & { readonly deviceId: string; readonly takenAt: string };
const isFlying = (mission: Mission): mission is Flying =>
  mission.state === 'flying' && mission.deviceId !== undefined && mission.takenAt !== undefined;

/** Missions in flight by the device that flies them. */
export type Flights = ReadonlyMap<string, Flying>;

/** Most samples in one event of the bus. */
const AT_ONCE = 100;

/** Takes what waits, the most urgent first and then the oldest, for each a device that is free. */
async function take(missions: readonly Mission[], devices: readonly SimulatedDevice[], now: Date): Promise<Flying[]> {
  const taken: Flying[] = [];
  const busy = new Set(missions.filter(isFlying).map(({ deviceId }) => deviceId));
  const waiting = missions
    .filter(({ state, scheduledAt }) => state === 'waiting' && (scheduledAt ?? '') <= now.toISOString())
    .sort((one, other) => other.priority - one.priority || (one.jobId < other.jobId ? -1 : 1));
  for (const mission of waiting) {
    const { jobId, deviceGroupId } = mission;
    const device = devices.find(
      (one) =>
        one.deviceGroupId === deviceGroupId &&
        (mission.deviceId ?? one.deviceId) === one.deviceId &&
        !busy.has(one.deviceId),
    );
    if (!device || !(await takeMission(jobId, device.deviceId, now))) continue;
    busy.add(device.deviceId);
    taken.push({ ...mission, state: 'flying', deviceId: device.deviceId, takenAt: now.toISOString() });
  }
  return taken;
}

const elapsedOf = ({ takenAt }: Flying, { speed }: World, now: Date) =>
  ((now.getTime() - Date.parse(takenAt)) / 1000) * speed;

/** What a mission has to report by now, said before it is noted: at least once. */
async function report(mission: Flying, world: World, now: Date): Promise<void> {
  const { jobId, failure, reported } = mission;
  const elapsed = elapsedOf(mission, world, now);
  const due = reportsOf(failure).filter(({ at }) => at <= elapsed);
  const at = now.toISOString();
  await publishReports(
    due.slice(reported).map(({ status }) => ({ type: 'job.status.reported', detail: { jobId, status, at } }) as const),
  );
  if (elapsed >= freeAt(failure)) await endMission(jobId, now);
  else if (due.length > reported) await noteReported(jobId, due.length);
}

function sampleOf({ deviceId, deviceGroupId }: SimulatedDevice, mission: Flying | undefined, world: World, now: Date) {
  const home = homeOf(world.seed, deviceGroupId, deviceId);
  const timestamp = now.toISOString();
  if (!mission) return world.restReports ? [{ deviceId, timestamp, ...atRest(home) }] : [];
  const { jobId, failure } = mission;
  const state = flightAt({ seed: world.seed, jobId, home, failure }, elapsedOf(mission, world, now));
  return state ? [{ deviceId, timestamp, jobId, ...state }] : [];
}

/** What one second of the simulated fleet begins with: takes jobs and reports on them. Gives what is in flight then. */
export async function tick(missions: readonly Mission[], world: World, now: Date): Promise<Flights> {
  const flying = [...missions.filter(isFlying), ...(await take(missions, world.devices, now))];
  for (const mission of flying) await report(mission, world, now);
  return new Map(flying.map((mission) => [mission.deviceId, mission]));
}

/** Tells where some of the devices are. */
export async function sayWhere(
  devices: readonly SimulatedDevice[],
  flights: Flights,
  world: World,
  now: Date,
): Promise<void> {
  const samples = devices.flatMap((device) => sampleOf(device, flights.get(device.deviceId), world, now));
  const events: PlatformReport[] = [];
  for (let index = 0; index < samples.length; index += AT_ONCE) {
    events.push({ type: 'device.telemetry.reported', detail: { telemetry: samples.slice(index, index + AT_ONCE) } });
  }
  await publishReports(events);
}

import type { InboundEvent } from '../../domain/platform/inbound-events';
import { dockPositionOf, offsetOf } from './dock';
import { atRest, flightAt } from './flight';
import { outcomesOf } from './flown';
import { elapsedOf, flightOf, isFlying, speedOf, type Fleet, type Flying, type SimulatedDevice } from './fleet';
import { assignMission, endMission, storeAnswerCount, storeReportCount, type Mission } from './missions';
import type { OpenItems } from './open-items';
import { progressAt } from './progress';
import { publishReports } from './publish-reports';
import { freeAt, publishable, reportsOf } from './reports';
import { takeCommands } from './take-commands';

/** Missions in flight, by device id. */
export type Flights = ReadonlyMap<string, Flying>;

/** Maximum samples in one event of the bus. */
const MAX_SAMPLES_PER_EVENT = 100;

/**
 * Which of the free devices flies a mission: the one that its job names, or one of its group, for a place or a line the nearest.
 * @param free in the order of the inventory, which decides where there is no place
 * @returns undefined when none of them can
 */
export function deviceFor(
  { deviceGroupId, deviceId, plan: { place, line } }: Pick<Mission, 'deviceGroupId' | 'deviceId' | 'plan'>,
  free: readonly SimulatedDevice[],
  seed: string,
): SimulatedDevice | undefined {
  const able = free.filter((one) => one.deviceGroupId === deviceGroupId && (deviceId ?? one.deviceId) === one.deviceId);
  const [longitude, latitude] = place?.location.coordinates ?? line?.waypoints[0] ?? [];
  if (longitude === undefined || latitude === undefined) return able[0];
  const metresOf = (one: SimulatedDevice) =>
    Math.hypot(...offsetOf(dockPositionOf(seed, one.deviceGroupId, one.deviceId), longitude, latitude));
  return able.toSorted((one, other) => metresOf(one) - metresOf(other))[0];
}

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

/**
 * Publishes the reports due by now, then stores their count: at-least-once delivery. Of a job that is over nothing is reported.
 * @returns whether none of those due is left
 */
async function publishDueReports(mission: Flying, fleet: Fleet, now: Date): Promise<boolean> {
  const { jobId, deviceId, reported, reportedAt, recalledAt } = mission;
  const flight = flightOf(mission, fleet);
  const elapsed = elapsedOf(mission, fleet, now);
  const due = recalledAt === undefined ? reportsOf(flight).filter(({ at }) => at <= elapsed) : [];
  const next = publishable(due.slice(reported), reportedAt, now);
  const at = now.toISOString();
  await publishReports(
    next.map(({ at: reachedAt, status, reason, commandId, plannedFlight }) => {
      const progress = progressAt(flight, reachedAt, speedOf(mission, fleet));
      const detail = { jobId, status, at, deviceId, reason, commandId, plannedFlight, progress };
      return { type: 'job.status.reported', detail } as const;
    }),
  );
  if (next.length > 0) await storeReportCount(jobId, reported + next.length, now);
  return reported + next.length >= due.length;
}

/** How much later a drone answers that is asked to be late, in seconds. */
const LATE_S = 40;

/**
 * Publishes the outcomes of a mission's commands that are due by now, then stores their count: at-least-once delivery.
 * @returns whether none is left to be told
 */
async function publishDueOutcomes(mission: Flying, fleet: Fleet, now: Date): Promise<boolean> {
  const { jobId, deviceId, answered, plan } = mission;
  const { commands: manner } = plan;
  if (mission.commands.length === 0 || manner === 'silent') return true;
  const outcomes = outcomesOf(flightOf(mission, fleet));
  const late = manner === 'late' ? LATE_S * speedOf(mission, fleet) : 0;
  const due = outcomes.filter(({ at }) => at + late <= elapsedOf(mission, fleet, now));
  const reports = due.slice(answered).map(({ requestId, outcome, reason }): InboundEvent => {
    const detail = { requestId, deviceId, outcome, reason, at: now.toISOString() };
    return { type: 'control.outcome.reported', detail };
  });
  await publishReports(manner === 'twice' ? reports.flatMap((report) => [report, report]) : reports);
  if (due.length > answered) await storeAnswerCount(jobId, due.length);
  return due.length === outcomes.length;
}

/** Reports what a mission and its commands have come to, and ends it when there is nothing more. */
async function publishDue(mission: Flying, fleet: Fleet, now: Date): Promise<void> {
  const isReported = await publishDueReports(mission, fleet, now);
  const isAnswered = await publishDueOutcomes(mission, fleet, now);
  const isFree = elapsedOf(mission, fleet, now) >= freeAt(flightOf(mission, fleet));
  if (isFree && isReported && isAnswered) await endMission(mission.jobId, now);
}

function sampleOf({ deviceId, deviceGroupId }: SimulatedDevice, mission: Flying | undefined, fleet: Fleet, now: Date) {
  const dock = dockPositionOf(fleet.seed, deviceGroupId, deviceId);
  const timestamp = now.toISOString();
  if (!mission) return fleet.idleReports ? [{ deviceId, timestamp, ...atRest(dock) }] : [];
  const [flight, elapsed] = [flightOf(mission, fleet), elapsedOf(mission, fleet, now)];
  const state = flightAt(flight, elapsed);
  if (!state) return [];
  // A drone whose job is over comes home without it.
  if (mission.recalledAt !== undefined) return [{ deviceId, timestamp, ...state }];
  const progress = progressAt(flight, elapsed, speedOf(mission, fleet));
  return [{ deviceId, timestamp, jobId: mission.jobId, ...state, progress }];
}

/** Starts a tick: assigns missions, lets devices take commands, and reports what came of them. @returns the missions in flight */
export async function tick(open: Omit<OpenItems, 'runId'>, fleet: Fleet, now: Date): Promise<Flights> {
  const assigned = [...open.missions.filter(isFlying), ...(await assignMissions(open.missions, fleet, now))];
  const flying = await takeCommands(assigned, open, fleet, now);
  for (const mission of flying) await publishDue(mission, fleet, now);
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

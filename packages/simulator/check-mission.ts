import { outboundEvents } from '../../domain/platform/outbound-events';
import { type InboundDetail } from '../../domain/platform/inbound-events';
import { courseOf, MAX_CHARGE, type Course, type Flight } from './course';
import { offsetAt, timesOf, whyRefused } from './timeline';
import { dockPositionOf } from './dock';
import type { SimulatedDevice } from './fleet';
import { planOf, type MissionPlan } from './mission-plan';
import { metresBetween } from './progress';

type Checked = InboundDetail<'mission.check.reported'>;

/** The charge that a course takes, in percent, rounded up: what is refused is above the limit. */
const percentOf = ({ charge }: Course): number => Math.ceil(charge * 10) / 10;

/** The field that says where a drone flies to; undefined when two do. */
function placedBy({ place, line }: Pick<MissionPlan, 'place' | 'line'>): string | undefined {
  if (place && line) return undefined;
  return line ? 'missionId' : 'desiredLocation';
}

/** Why a drone would not take off, as a finding: the job would fail with its code. */
function findingsOf(flight: Flight, course: Course): Checked['findings'] {
  const code = whyRefused(flight, course);
  if (code === undefined) return [];
  if (code !== 'LOW_BATTERY') return [{ code, path: placedBy(flight.plan) }];
  return [{ code, limit: MAX_CHARGE, actual: percentOf(course) }];
}

/**
 * Checks a job as the simulated fleet would fly it: by the requested device, or the one of the group that needs the
 * least charge, which is the nearest. Pure.
 * @param detail of `mission.check.requested`
 * @param devices all that are registered
 */
export function checkMission(detail: unknown, devices: readonly SimulatedDevice[], seed: string): Checked {
  const { requestId, ...job } = outboundEvents['mission.check.requested'].parse(detail);
  const plan = planOf(job);
  const [nearest] = devices
    .filter(
      ({ deviceId, deviceGroupId }) => deviceGroupId === job.deviceGroupId && (job.deviceId ?? deviceId) === deviceId,
    )
    .map(({ deviceId, deviceGroupId }) => {
      const flight: Flight = { seed, jobId: requestId, dock: dockPositionOf(seed, deviceGroupId, deviceId), plan };
      return { flight, course: courseOf(flight) };
    })
    .sort((one, other) => one.course.charge - other.course.charge);
  if (!nearest) return { requestId, findings: [{ code: 'NO_DEVICE' }] };
  const { flight, course } = nearest;
  return {
    requestId,
    length: Math.round(metresBetween((t) => offsetAt(course, t), 0, timesOf(course).docked)),
    durationSeconds: Math.round(timesOf(course).docked),
    charge: percentOf(course),
    findings: findingsOf(flight, course),
  };
}

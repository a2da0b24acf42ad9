import { readMissionLine } from '../../data/missions/mission-lines';
import type { MissionLine } from '../../domain/missions/mission';

interface JobDetail {
  readonly missionId?: string | undefined;
  /** Of a mission of this service. */
  readonly missionVersion?: number | undefined;
}

/** A job's mission has no waypoints any more: it waited until 90 days after it was due, and its version had been replaced. */
export class MissionLineRemoved extends Error {}

/**
 * A job for the platform, with the waypoints that it flies if its mission is one of this service: one read then.
 * @throws MissionLineRemoved for a job that must not be told: without them it would be flown otherwise
 */
export async function withMissionLine<Detail extends JobDetail>(
  detail: Detail,
): Promise<Detail & { readonly missionLine?: MissionLine }> {
  const { missionId, missionVersion: version } = detail;
  if (missionId === undefined || version === undefined) return detail;
  const missionLine = await readMissionLine({ missionId, version });
  if (!missionLine) throw new MissionLineRemoved('a job flies a mission whose waypoints were removed');
  return { ...detail, missionLine };
}

import { readLine } from '../../data/missions/mission-lines';
import type { MissionLine } from '../../domain/mission';

interface JobDetail {
  readonly missionId?: string | undefined;
  /** Of a mission of this service. */
  readonly missionVersion?: number | undefined;
}

/**
 * A job for the platform, with the waypoints that it flies if its mission is one of this service: one read then. A job that waited until they
 * were removed has none, and can't be flown.
 */
export async function withMissionLine<Detail extends JobDetail>(
  detail: Detail,
): Promise<Detail & { readonly missionLine?: MissionLine }> {
  const { missionId, missionVersion: version } = detail;
  if (missionId === undefined || version === undefined) return detail;
  const missionLine = await readLine({ missionId, version });
  return { ...detail, ...(missionLine && { missionLine }) };
}

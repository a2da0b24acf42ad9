import { flownUntil, keptAfterEnd, storedMission } from '../../domain/missions/mission-record';
import { deleteOriginal } from './mission-files';
import { expireMissionLine, type MissionVersion } from './mission-lines';

/**
 * Lets a version go that is its mission's no more: the file, which nobody can read any more, and, after a while, the
 * line. The mission has changed already, so what fails is logged, which the alarm of the function counts, and stays.
 * @param was the mission as it was; of before it may lack until when jobs need it, and stays then
 * @param now ISO 8601
 */
export async function retireVersion(was: object | undefined, now: string): Promise<void> {
  const mission = storedMission.parse(was);
  const until = flownUntil(mission);
  if (until !== undefined) await retire(mission, keptAfterEnd(until, now));
}

/** Lets a version go that no job flies. @param now ISO 8601 */
export const retireUnused = (of: MissionVersion, now: string): Promise<void> => retire(of, keptAfterEnd(0, now));

async function retire({ missionId, version }: MissionVersion, until: number): Promise<void> {
  const of = { missionId, version };
  const results = await Promise.allSettled([expireMissionLine(of, until), deleteOriginal(of)]);
  for (const result of results)
    if (result.status === 'rejected')
      // Lambda logs this with level ERROR (developer guide, "Using JSON structured logs with Node.js").
      console.error('a version of a mission stays', of, result.reason instanceof Error ? result.reason.name : '');
}

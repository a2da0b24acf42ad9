import * as endpoints from '../../contract/missions/missions.endpoints';
import { withFileSeat } from '../../data/missions/file-seats';
import { findMission, insertVersion } from '../../data/missions/missions';
import { readMission } from './read-mission';
import { fileBody } from '../serve/file-body';
import { serve } from '../serve/serve';

export const handler = serve(
  'PUT /v3/missions/{missionId}',
  endpoints.replaceMission,
  async ({ caller, path, query, file: { content, mediaType }, now }) => {
    // First: nobody else's file is read, which takes the longest.
    const found = await findMission(caller.organisation, path.missionId);
    const mission = await withFileSeat(caller.organisation, async () => {
      const replacement = { ...(await readMission(content, mediaType, query.name)), mediaType };
      return insertVersion(found, replacement, content, now);
    });
    return { success: true, mission };
  },
  fileBody,
);

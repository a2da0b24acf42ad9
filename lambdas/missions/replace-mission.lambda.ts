import * as endpoints from '../../contract/missions/missions.endpoints';
import { findMission, insertVersion } from '../../data/missions/missions';
import { readMission } from './read-mission';
import { fileBody } from './file-body';
import { serve } from '../serve/serve';

export const handler = serve(
  'PUT /v3/missions/{missionId}',
  endpoints.replaceMission,
  async ({ caller, path, query, file: { content, mediaType }, now }) => {
    // First: nobody else's file is read, which takes the longest.
    const found = await findMission(caller.organisation, path.missionId);
    const replacement = { ...(await readMission(content, mediaType, query.name)), mediaType };
    const mission = await insertVersion(found, replacement, content, now);
    return { success: true, mission };
  },
  fileBody,
);

import * as endpoints from '../../../contract/endpoints/missions';
import { insertMission } from '../../../data/missions/missions';
import { newId } from '../../../data/store/new-id';
import { readMission } from '../../missions/read-mission';
import { fileBody } from '../../serve/file-body';
import { serve } from '../../serve/serve';

export const handler = serve(
  'POST /v3/missions',
  endpoints.createMission,
  async ({ caller: { organisation }, query, file: { content, mediaType }, now }) => {
    const created = { ...(await readMission(content, mediaType, query.name)), mediaType };
    const missionId = newId('mission', organisation, now);
    return { success: true, mission: await insertMission(organisation, missionId, created, content, now) };
  },
  fileBody,
);

import * as endpoints from '../../contract/missions/missions.endpoints';
import { insertMission } from '../../data/missions/missions';
import { newId } from '../../data/store/new-id';
import { readMission } from './read-mission';
import { fileBody } from './file-body';
import { serve } from '../serve/serve';

export const handler = serve(
  'POST /v3/missions',
  endpoints.createMission,
  async ({ caller: { organisation }, query, file: { content, mediaType }, now }) => {
    const created = { ...(await readMission(content, mediaType, query.name)), mediaType };
    const mission = await insertMission(organisation, newId('mission', organisation, now), created, content, now);
    return { success: true, mission };
  },
  fileBody,
);

import * as endpoints from '../../contract/missions/missions.endpoints';
import { withFileSeat } from '../../data/missions/file-seats';
import { insertMission } from '../../data/missions/missions';
import { newId } from '../../data/store/new-id';
import { readMission } from './read-mission';
import { fileBody } from '../serve/file-body';
import { serve } from '../serve/serve';

export const handler = serve(
  'POST /v3/missions',
  endpoints.createMission,
  async ({ caller: { organisation }, query, file: { content, mediaType }, now }) => {
    const mission = await withFileSeat(organisation, async () => {
      const created = { ...(await readMission(content, mediaType, query.name)), mediaType };
      return insertMission(organisation, newId('mission', organisation, now), created, content, now);
    });
    return { success: true, mission };
  },
  fileBody,
);

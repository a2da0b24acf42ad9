import * as endpoints from '../../contract/missions/missions.endpoints';
import { readMissionPage } from '../../data/missions/missions';
import { serve } from '../serve/serve';

export const handler = serve('GET /v3/missions', endpoints.listMissions, async ({ caller, query }) => {
  const page = await readMissionPage(caller.organisation, query);
  return { success: true, ...page, count: page.missions.length };
});

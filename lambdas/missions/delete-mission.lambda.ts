import * as endpoints from '../../contract/missions/missions.endpoints';
import { removeMission } from '../../data/missions/missions';
import { serve } from '../serve/serve';

export const handler = serve(
  'DELETE /v3/missions/{missionId}',
  endpoints.deleteMission,
  async ({ caller, path, now }) => {
    await removeMission(caller.organisation, path.missionId, now);
    return { success: true, message: 'Mission deleted successfully' };
  },
);

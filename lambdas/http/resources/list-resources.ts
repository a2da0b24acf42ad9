import { listDeviceGroups } from '../../../data/fleet/fleet';
import { serve } from '../../serve/endpoints/fleet';

export const handler = serve('GET /v3/resources', async ({ caller }) => {
  const resources = await listDeviceGroups(caller.organisation);
  return { success: true, resources, count: resources.length };
});

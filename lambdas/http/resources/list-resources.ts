import * as endpoints from '../../../contract/endpoints/fleet';
import { listDeviceGroups } from '../../../data/fleet/fleet';
import { serve } from '../../serve/serve';

export const handler = serve('GET /v3/resources', endpoints.listResources, async ({ caller }) => {
  const resources = await listDeviceGroups(caller.organisation);
  return { success: true, resources, count: resources.length };
});

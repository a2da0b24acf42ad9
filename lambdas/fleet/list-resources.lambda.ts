import * as endpoints from '../../contract/fleet/fleet.endpoints';
import { listDeviceGroups } from '../../data/fleet/devices';
import { withoutSensors, withoutStates } from '../../domain/fleet/device';
import { serve } from '../serve/serve';

export const handler = serve('GET /v3/resources', endpoints.listResources, async ({ caller, query }) => {
  const groups = await listDeviceGroups(caller.organisation);
  const resources = groups.map(query.include === 'state' ? withoutSensors : withoutStates);
  return { success: true, resources, count: resources.length };
});

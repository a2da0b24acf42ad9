import * as endpoints from '../../contract/fleet/fleet.endpoints';
import { findDevice } from '../../data/fleet/devices';
import { serve } from '../serve/serve';

export const handler = serve(
  'GET /v3/devices/{deviceId}/capabilities',
  endpoints.getCapabilities,
  async ({ caller, path: { deviceId } }) => {
    const { capabilities } = await findDevice(caller.organisation, deviceId);
    return { success: true, capabilities: { deviceId, ...capabilities } };
  },
);

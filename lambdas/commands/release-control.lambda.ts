import * as endpoints from '../../contract/commands/commands.endpoints';
import { findDevice } from '../../data/fleet/devices';
import { endLease } from './lease';
import { serve } from '../serve/serve';

export const handler = serve(
  'DELETE /v3/devices/{deviceId}/control',
  endpoints.releaseControl,
  async ({ caller: { organisation, clientId }, path: { deviceId }, now }) => {
    await findDevice(organisation, deviceId);
    await endLease(deviceId, { origin: 'partner', requestedBy: clientId }, now);
    return { success: true, message: 'Control released successfully' };
  },
);

import * as endpoints from '../../contract/commands/commands.endpoints';
import { findDevice } from '../../data/fleet/devices';
import { takeLease } from './lease';
import { serve } from '../serve/serve';

export const handler = serve(
  'PUT /v3/devices/{deviceId}/control',
  endpoints.holdControl,
  async ({ caller: { organisation, clientId }, path: { deviceId }, now }) => {
    await findDevice(organisation, deviceId);
    const lease = await takeLease(deviceId, { origin: 'partner', heldBy: clientId }, now);
    return { success: true, control: { deviceId, ...lease } };
  },
);

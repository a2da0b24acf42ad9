import * as endpoints from '../../contract/commands/commands.endpoints';
import { readHead } from '../../data/commands/command-head';
import { findDevice } from '../../data/fleet/devices';
import { inForce } from './decide-by-head';
import { serve } from '../serve/serve';

export const handler = serve(
  'GET /v3/devices/{deviceId}/control',
  endpoints.getControl,
  async ({ caller: { organisation }, path: { deviceId }, now }) => {
    await findDevice(organisation, deviceId);
    const { control } = await readHead(deviceId);
    return { success: true, control: { deviceId, ...(await inForce(control, now)) } };
  },
);

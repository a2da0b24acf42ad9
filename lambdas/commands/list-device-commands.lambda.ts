import * as endpoints from '../../contract/commands/commands.endpoints';
import { readDeviceCommands } from '../../data/commands/commands';
import { findDevice } from '../../data/fleet/devices';
import { expectOwnDevice } from '../../data/fleet/registered-parts';
import { serve } from '../serve/serve';

export const handler = serve(
  'GET /v3/devices/{deviceId}/commands',
  endpoints.listDeviceCommands,
  async ({ caller: { organisation }, path: { deviceId }, query }) => {
    expectOwnDevice(organisation, deviceId);
    const page = await readDeviceCommands(deviceId, query);
    // A device that was removed keeps its commands; one that never was has none.
    if (page.commands.length === 0) await findDevice(organisation, deviceId);
    return { success: true, ...page, count: page.commands.length };
  },
);

import * as endpoints from '../../contract/commands/commands.endpoints';
import { findCommand } from '../../data/commands/commands';
import { serve } from '../serve/serve';

export const handler = serve(
  'GET /v3/devices/{deviceId}/commands/{commandId}',
  endpoints.getCommand,
  async ({ caller, path }) => ({ success: true, command: await findCommand(caller.organisation, path) }),
);

import { readDevice } from '../../../data/fleet';
import { findShare } from '../../../data/shares';
import { serve } from '../../serve';

export const handler = serve('GET /v3/shares/{shareCode}/resources', async ({ caller, path, now }) => {
  const { deviceId } = await findShare(caller.organisation, path.shareCode, now);
  const device = await readDevice(caller.organisation, deviceId);
  const resources = device ? [device] : [];
  return { success: true, resources, count: resources.length };
});

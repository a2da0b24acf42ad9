import * as endpoints from '../../contract/shares/shares.endpoints';
import { readDevice } from '../../data/fleet/devices';
import { findShare } from '../../data/shares/shares';
import { serve } from '../serve/serve';
import { sharePlayback } from '../../data/shares/playback-session';

export const handler = serve(
  'GET /v3/shares/{shareCode}/resources',
  endpoints.listShareResources,
  async ({ caller, path, now }) => {
    const share = await findShare(caller.organisation, path.shareCode, now);
    const [device, playback] = await Promise.all([
      readDevice(caller.organisation, share.deviceId),
      sharePlayback(share, new Date(now)),
    ]);
    const resources = device ? [{ ...device, ...(playback !== undefined && { playback }) }] : [];
    return { success: true, resources, count: resources.length };
  },
);

import * as endpoints from '../../contract/shares/shares.endpoints';
import { storeRevocation } from '../../data/shares/shares';
import { closeViewersOfShare } from '../sockets/close-followers';
import { serve } from '../serve/serve';

export const handler = serve('DELETE /v3/shares/{shareCode}', endpoints.revokeShare, async ({ caller, path, now }) => {
  const share = await storeRevocation(caller.organisation, path.shareCode, now);
  await closeViewersOfShare(path.shareCode, share, now);
  return { success: true, message: 'Share revoked successfully' };
});

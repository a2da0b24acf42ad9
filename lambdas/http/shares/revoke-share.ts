import { revokeShare } from '../../../data/shares';
import { serve } from '../../serve/shares';

export const handler = serve('DELETE /v3/shares/{shareCode}', async ({ caller, path, now }) => {
  await revokeShare(caller.organisation, path.shareCode, now);
  return { success: true, message: 'Share revoked successfully' };
});

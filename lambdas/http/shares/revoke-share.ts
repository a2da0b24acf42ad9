import { revokeShare } from '../../../data/shares';
import { closeFollowersOfShare } from '../../close-followers';
import { serve } from '../../serve/shares';

export const handler = serve('DELETE /v3/shares/{shareCode}', async ({ caller, path, now }) => {
  const share = await revokeShare(caller.organisation, path.shareCode, now);
  await closeFollowersOfShare(path.shareCode, share, now);
  return { success: true, message: 'Share revoked successfully' };
});

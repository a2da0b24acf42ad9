import { findShare } from '../../../data/shares';
import { serve } from '../../serve/shares';
import { withLink } from '../../share-link';

export const handler = serve('GET /v3/shares/{shareCode}', async ({ caller, path, now }) => ({
  success: true,
  share: withLink(await findShare(caller.organisation, path.shareCode, now)),
}));

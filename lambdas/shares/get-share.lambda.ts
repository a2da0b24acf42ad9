import * as endpoints from '../../contract/shares/shares.endpoints';
import { findShare } from '../../data/shares/shares';
import { serve } from '../serve/serve';
import { withLink } from '../../data/shares/share-link';

export const handler = serve('GET /v3/shares/{shareCode}', endpoints.getShare, async ({ caller, path, now }) => ({
  success: true,
  share: withLink(await findShare(caller.organisation, path.shareCode, now)),
}));

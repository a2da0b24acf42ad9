import * as endpoints from '../../contract/shares/shares.endpoints';
import { readSharePage } from '../../data/shares/shares';
import { serve } from '../serve/serve';
import { withLink } from '../../data/shares/share-link';

export const handler = serve('GET /v3/shares', endpoints.listShares, async ({ caller, query, now }) => {
  const { shares, nextToken } = await readSharePage(caller.organisation, query, now);
  return { success: true, shares: shares.map(withLink), count: shares.length, nextToken };
});

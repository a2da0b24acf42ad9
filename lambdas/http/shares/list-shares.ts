import { listShares } from '../../../data/shares/shares';
import { serve } from '../../serve/endpoints/shares';
import { withLink } from '../../serve/share-link';

export const handler = serve('GET /v3/shares', async ({ caller, query, now }) => {
  const { shares, nextToken } = await listShares(caller.organisation, query, now);
  return { success: true, shares: shares.map(withLink), count: shares.length, nextToken };
});

import * as endpoints from '../../contract/access/token.endpoints';
import { apiKeyRefused } from '../../contract/terms/forbidden';
import { findPartner } from '../../data/access/partners';
import { requestToken } from '../../data/access/tokens';
import { apiKeyIds } from '../../domain/access/partner';
import { Refusal, invalid } from '../../domain/values/refusal';
import { serve } from '../serve/serve';
import { tokenRequestBody } from './token-request';

export const handler = serve(
  'POST /v3/auth/token',
  endpoints.issueToken,
  async ({ body, apiKeyId }) => {
    const { grant_type, client_id, client_secret } = body;
    if (grant_type !== 'client_credentials') throw new Refusal('unsupported_grant_type');
    if (!client_id || !client_secret) throw invalid('', 'client_id and client_secret are required');
    const partner = await findPartner(client_id);
    if (!partner) throw new Refusal('invalid_client');
    const ownsKey = apiKeyId !== undefined && apiKeyIds(partner).includes(apiKeyId);
    if (!ownsKey || partner.status !== 'active') throw apiKeyRefused();
    return requestToken(client_id, client_secret);
  },
  tokenRequestBody,
);

import { refusalIn } from './refusal.ts';
import { send, type SendingRules } from './send.ts';
import type { IssuedToken } from './token-source.ts';

/** What the operator of the service has issued to a partner's client. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
}

const REQUEST = 'POST /v3/auth/token';

/** What to check, by status. */
const hints: Readonly<Record<number, string>> = {
  401: 'Check clientId and clientSecret',
  403: 'Check apiKey, and that it belongs to the same partner as clientId; a suspended partner is refused too',
};

/** Gets an access token for client credentials (RFC 6749 section 4.4). @throws ApiError, ConnectionError */
export const issueToken =
  (baseUrl: string, { clientId, clientSecret, apiKey }: ClientCredentials, rules: SendingRules) =>
  async (): Promise<IssuedToken> => {
    const response = await send(
      {
        method: 'POST',
        url: `${baseUrl}/v3/auth/token`,
        headers: new Headers({ 'content-type': 'application/json', 'x-api-key': apiKey }),
        body: JSON.stringify({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }),
        signal: null,
      },
      rules,
    );
    if (!response.ok) throw await refusalIn(REQUEST, response, hints[response.status]);
    const { access_token: token, expires_in: seconds } = (await response.json()) as {
      readonly access_token: string;
      readonly expires_in: number;
    };
    return { token, lifetimeMs: seconds * 1000 };
  };

import { ApiError, refusalIn } from '../errors.ts';
import { untilAborted } from '../waiting.ts';
import { send, type SendingRules } from './send.ts';

/** A token as it was issued. */
export interface IssuedToken {
  readonly token: string;
  /** Undefined when the token does not say how long it is valid. */
  readonly lifetimeMs: number | undefined;
}

/** A token that may be used now. Times are Unix ms. */
export interface CurrentToken {
  readonly token: string;
  /** When a new one is due. */
  readonly renewAt: number;
  readonly expiresAt: number;
}

/**
 * How long before its end a token is replaced: six minutes, since MQTTS refuses tokens with less than five left, but a tenth
 * of the lifetime at most, so that tokens with a short lifetime are used too.
 */
export const renewalMarginMs = (lifetimeMs: number): number => Math.min(360_000, lifetimeMs / 10);

/** After a failed renewal the token that is still valid is used for so long before the next attempt. */
const RENEWAL_PAUSE_MS = 10_000;

/** Keeps one access token and renews it ahead of its end, with one request however many callers wait. */
export class TokenSource {
  #current: CurrentToken | undefined;
  #pending: Promise<CurrentToken> | undefined;

  /** @param request gets a new token; throws when it can't */
  constructor(private readonly request: () => Promise<IssuedToken>) {}

  /**
   * A token that is not due for renewal, unless renewing failed and the old one is still valid.
   * @param signal ends the waiting of this caller only
   * @throws ApiError, ConnectionError when there is no valid token
   */
  async get(signal?: AbortSignal): Promise<CurrentToken> {
    const current = this.#current;
    if (current && Date.now() < current.renewAt) return current;
    this.#pending ??= this.#renew().finally(() => (this.#pending = undefined));
    return untilAborted(this.#pending, signal);
  }

  /** Forgets a token that the service has refused. */
  forget(token: string): void {
    if (this.#current?.token === token) this.#current = undefined;
  }

  async #renew(): Promise<CurrentToken> {
    const previous = this.#current;
    const askedAt = Date.now();
    try {
      const { token, lifetimeMs = Infinity } = await this.request();
      // Counted from the request, so rather too short than too long.
      const expiresAt = askedAt + lifetimeMs;
      const renewAt = lifetimeMs === Infinity ? Infinity : expiresAt - renewalMarginMs(lifetimeMs);
      return (this.#current = { token, expiresAt, renewAt });
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status < 500 && error.status !== 429;
      if (!previous || isRefused || Date.now() >= previous.expiresAt) throw error;
      return (this.#current = { ...previous, renewAt: Math.min(Date.now() + RENEWAL_PAUSE_MS, previous.expiresAt) });
    }
  }
}

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

/** An access token, or a function that returns a valid one: for a browser, which must not know the client's secret. */
export type SuppliedToken = string | (() => string | Promise<string>);

/** Gets a supplied token; its lifetime is what its `exp` leaves. */
export const suppliedToken = (supplied: SuppliedToken) => async (): Promise<IssuedToken> => {
  const token = typeof supplied === 'string' ? supplied : await supplied();
  const expiry = typeof supplied === 'string' ? undefined : expiryOf(token);
  return { token, lifetimeMs: expiry === undefined ? undefined : Math.max(0, expiry - Date.now()) };
};

/** `exp` of a JWT (RFC 7519) in Unix ms; undefined when it can't be read. */
function expiryOf(token: string): number | undefined {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { exp } = JSON.parse(atob(payload)) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

import {
  FetchError,
  JwksValidationError,
  JwkValidationError,
  JwtExpiredError,
  JwtInvalidIssuerError,
  JwtParseError,
  KidNotFoundInJwksError,
  WaitPeriodNotYetEndedJwkError,
} from 'aws-jwt-verify/error';
import { clientSuspended } from '../../contract/terms/forbidden';
import { findPartner } from '../../data/access/partners';
import type { Organisation } from '../../domain/values/id';
import { isInForce, type LimitsOfClient } from '../../domain/access/partner';
import { Refusal } from '../../domain/values/refusal';
import { verifyToken, type Token } from './verify-token';
import { TOKEN_EXPIRED } from '../../contract/terms/unauthorized';

/** The signing keys could not be fetched or read, which says nothing about the token. */
const keyErrors = [FetchError, JwksValidationError, JwkValidationError];

/** An active partner's client with a valid token. */
export interface CallerIdentity extends Token {
  readonly organisation: Organisation;
  /** Where they differ from those of every client. */
  readonly limits: LimitsOfClient | undefined;
}

/**
 * Identifies the client of an access token, for REST, WSS and MQTTS.
 * @param path where the token was, for the details of a refusal
 * @throws Refusal `unauthorized` for a token that this service did not issue, that has expired or that its client may not use any
 *   more, `forbidden` for a partner that is unknown or suspended; any other error when this could not be determined
 */
export async function identify(accessToken: string, path?: string): Promise<CallerIdentity> {
  const token = await verifyToken(accessToken).catch((error: unknown) => {
    if (keyErrors.some((kind) => error instanceof kind)) throw error;
    throw new Refusal('unauthorized', [], { cause: error });
  });
  const partner = await findPartner(token.clientId);
  if (partner?.status !== 'active') throw clientSuspended(path);
  if (!isInForce(partner, token.issuedAt)) throw new Refusal('unauthorized');
  return { ...token, organisation: partner.organisation, limits: partner.limits };
}

/**
 * Why a token is not valid, for its client: without quotes and backslashes, since API Gateway inserts it into JSON as it is.
 * @param refusal `unauthorized`, of `identify`
 * @returns undefined while that can't be told: the key of the token was not found a moment ago, and is not looked for again yet
 */
export function whyInvalid({ cause }: Refusal): string | undefined {
  if (cause instanceof WaitPeriodNotYetEndedJwkError) return undefined;
  if (cause instanceof JwtParseError) return 'the token is malformed';
  if (cause instanceof JwtExpiredError) return TOKEN_EXPIRED;
  if (cause instanceof JwtInvalidIssuerError || cause instanceof KidNotFoundInJwksError)
    return 'the token is of another issuer';
  return 'the token is not valid';
}

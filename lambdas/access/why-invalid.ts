import {
  JwtExpiredError,
  JwtInvalidIssuerError,
  JwtParseError,
  KidNotFoundInJwksError,
  WaitPeriodNotYetEndedJwkError,
} from 'aws-jwt-verify/error';
import { TOKEN_EXPIRED } from '../../contract/terms/unauthorized';
import type { Refusal } from '../../domain/values/refusal';

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

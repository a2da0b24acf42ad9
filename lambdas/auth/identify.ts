import { FetchError, JwkValidationError, JwksValidationError } from 'aws-jwt-verify/error';
import { findPartner } from '../../data/partners/partners';
import type { Organisation } from '../../domain/id';
import { Refusal } from '../../domain/refusal';
import { verifyToken, type Token } from './verify-token';

/** The keys could not be had, which says nothing about the token. */
const withoutKeys = [FetchError, JwksValidationError, JwkValidationError];

/** A partner's client with a token that stands. */
export interface Identity extends Token {
  readonly organisation: Organisation;
}

/**
 * Who an access token is, on every way in: REST, WSS and MQTTS.
 * @throws Refusal `unauthorized` for a token that is not ours or has ended, `forbidden` for a partner that
 *   is unknown or suspended; any other error means that it could not be found out
 */
export async function identify(accessToken: string): Promise<Identity> {
  const token = await verifyToken(accessToken).catch((error: unknown) => {
    if (withoutKeys.some((kind) => error instanceof kind)) throw error;
    throw new Refusal('unauthorized');
  });
  const partner = await findPartner(token.clientId);
  if (partner?.status !== 'active') throw new Refusal('forbidden');
  return { ...token, organisation: partner.organisation };
}

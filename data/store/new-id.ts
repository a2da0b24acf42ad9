import { customAlphabet } from 'nanoid';
import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Kind, Organisation } from '../../domain/id';

/** Crockford's base32 in lower case: no letter that is read as a digit. */
const base32 = '0123456789abcdefghjkmnpqrstvwxyz';
const secret = customAlphabet(base32, 26); // 130 bits
const tag = customAlphabet(base32, 8);
/** Not the default: the Web Crypto API that it asks takes a millisecond to load. */
const fraction = () => randomBytes(1).readUInt8() / 256;
const ulid = monotonicFactory(fraction);
const ulidAt = (at?: string) => ulid(at === undefined ? undefined : Date.parse(at));

/**
 * A new identifier whose order is that of creation (a ULID), so that newest-first needs no index.
 * @param at moment of creation, ISO 8601; the present one if not given
 */
export const newId = (kind: Kind, organisation: Organisation, at?: string) =>
  `${kind}-${organisation}-${ulidAt(at).toLowerCase()}`;

/**
 * A new share code. It is a capability: 130 random bits, behind the time of creation that keeps the
 * list of shares in order.
 * @param at moment of creation, ISO 8601
 */
export const newShareCode = (organisation: Organisation, at: string) =>
  `share-${organisation}-${ulidAt(at).slice(0, 10).toLowerCase()}${secret()}`;

/** Names one thing that was asked for; in the order of asking (a ULID). */
export const newRequestId = () => ulidAt().toLowerCase();

/** A tag for a new organisation. */
export const newOrganisation = (): Organisation => tag();

import { customAlphabet } from 'nanoid';
import { createHash, randomBytes } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory } from 'ulid';
import type { Kind, Organisation } from '../../domain/values/id';

/** Crockford's base32 in lower case, without letters that look like digits. */
const base32 = '0123456789abcdefghjkmnpqrstvwxyz';
const secret = customAlphabet(base32, 26); // 130 bits
const tag = customAlphabet(base32, 8);
/** Instead of ulid's default, which uses the Web Crypto API, whose loading takes a millisecond. */
const random = () => randomBytes(1).readUInt8() / 256;
const ulid = monotonicFactory(random);
const ulidAt = (at?: string) => ulid(at === undefined ? undefined : Date.parse(at));

/**
 * A new identifier that sorts by creation time (a ULID), so that listing newest first needs no index.
 * @param at time of creation, ISO 8601; default: now
 */
export const newId = (kind: Kind, organisation: Organisation, at?: string) =>
  `${kind}-${organisation}-${ulidAt(at).toLowerCase()}`;

/**
 * The identifier of something that follows from something else: the same each time, and sorting by time.
 * @param from what it follows from @param at ISO 8601
 */
export const idFrom = (kind: Kind, organisation: Organisation, from: string, at: string) => {
  const digest = createHash('sha256').update(from).digest().subarray(0, 16);
  const unique = [...digest].map((byte) => base32[byte % base32.length]).join('');
  return `${kind}-${organisation}-${encodeTime(Date.parse(at), 10).toLowerCase()}${unique}`;
};

/** When an identifier of {@link newId} was made. @throws Error for another text */
export const madeAt = (id: string): Date => new Date(decodeTime(id.slice(-26).toUpperCase()));

/** Not above any identifier that is created at a time or later. @param at ISO 8601 */
export const firstIdAt = (kind: Kind, organisation: Organisation, at: string) =>
  `${kind}-${organisation}-${encodeTime(Date.parse(at)).toLowerCase()}`;

/**
 * A new share code. Knowing it gives access, so it has 130 random bits, after the time of creation, by which the list of
 * shares is sorted.
 * @param at time of creation, ISO 8601
 */
export const newShareCode = (organisation: Organisation, at: string) =>
  `share-${organisation}-${ulidAt(at).slice(0, 10).toLowerCase()}${secret()}`;

/** A tag for a new organisation. */
export const newOrganisation = (): Organisation => tag();

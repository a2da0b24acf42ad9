import * as z from 'zod/mini';
import { invalid } from './refusal';

/** A list and the identifier to continue after; DynamoDB rejects an empty or malformed start key. */
const content = z.tuple([z.string(), z.string().check(z.regex(/^[0-9a-zA-Z-]{1,128}$/))]);

/**
 * The opaque `nextToken` of a list.
 * @param list the list with its filter, such as `jobs PENDING`
 * @param after identifier of the last element of this page
 */
export const pageToken = (list: string, after: string) =>
  Buffer.from(JSON.stringify([list, after])).toString('base64url');

/**
 * Reads a `nextToken`.
 * @returns the identifier of the element before the page
 * @throws Refusal `invalid_request` when the token does not belong to this list
 */
export function readPageToken(list: string, token: string): string {
  try {
    const [ofList, after] = content.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
    if (ofList === list) return after;
  } catch {
    // Malformed: refused below.
  }
  throw invalid('nextToken', 'is not a token of this list');
}

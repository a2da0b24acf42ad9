import * as z from 'zod/mini';
import { invalid } from './refusal';

/** A list with the identifier to go on after; an empty or odd one would be a key that no store takes. */
const content = z.tuple([z.string(), z.string().check(z.regex(/^[0-9a-zA-Z-]{1,128}$/))]);

/**
 * The opaque `nextToken` of a list.
 * @param list which list it belongs to, with its filter, such as `jobs PENDING`
 * @param after identifier of the last element that was given
 */
export const pageToken = (list: string, after: string) =>
  Buffer.from(JSON.stringify([list, after])).toString('base64url');

/**
 * Where the page that a token asks for begins.
 * @returns the identifier of the element before it
 * @throws Refusal `invalid_request` when the token is not one of that list
 */
export function readPageToken(list: string, token: string): string {
  try {
    const [ofList, after] = content.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
    if (ofList === list) return after;
  } catch {
    // Not even of our form: refused below.
  }
  throw invalid('nextToken', 'is not a token of this list');
}

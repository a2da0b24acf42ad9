import { invalid } from '../../domain/refusal';

/** Longest part of a file that a message repeats, in characters. */
const MAX_SHOWN = 32;

/**
 * The text of a file in UTF-8, without a byte order mark.
 * @throws Refusal `invalid_request` for bytes that are not UTF-8: a reader that replaced them would change what was meant
 */
export function readText(content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw invalid('', 'the file is not UTF-8');
  }
}

/** A part of a file as a message repeats it. */
export const shown = (text: string): string => text.slice(0, MAX_SHOWN).toWellFormed();

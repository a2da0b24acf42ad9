/** Control characters, line breaks of Unicode, and what turns the direction of text: a terminal obeys them. */
const obeyed = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A name as a terminal shows it and does nothing else: `\u{1b}` in place of an escape. */
export const printable = (text: string): string =>
  text.replace(obeyed, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

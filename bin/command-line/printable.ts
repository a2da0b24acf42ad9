/** Control characters, Unicode line breaks and bidirectional controls, which a terminal interprets. */
const terminalControls = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A name without control characters: `\u{1b}` instead of an escape. */
export const printable = (text: string): string =>
  text.replace(terminalControls, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

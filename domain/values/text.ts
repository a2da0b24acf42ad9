import { en } from 'zod/locales';
import * as z from 'zod/mini';

// zod/mini has no error messages; refusals need them.
z.config(en());

/** What is wrong with text that holds half of a surrogate pair, which encodings would replace. */
export const MALFORMED = 'must be well-formed Unicode';

/** One for all texts: each check that is created takes time at every start of a function. */
const wellFormed = z.refine<string>((value) => value.isWellFormed(), { error: MALFORMED });

/** Text of `min` to `max` characters without lone surrogates, which encodings would replace. */
export const text = (min: number, max: number) => z.string().check(z.minLength(min), z.maxLength(max), wellFormed);

/** A name, or an identifier. One for all, as {@link wellFormed}. */
export const name = text(1, 256);

/** For text of one line. U+FFFD, also one that is escaped, stands for a character that a program could not read. */
export const ofOneLine = z.refine<string>((value) => !/[\p{Cc}\uFFFD]/u.test(value), {
  error: 'must have no control characters, and no U+FFFD',
});

/** Whether there is anything to see: not only blanks (U+2800 is one, of Braille) and invisible characters. */
export const isVisible = (value: string): boolean => /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(value);

/** For text that people read, or search by. */
export const visible = z.refine<string>(isVisible, { error: 'must have a character that can be seen' });

const isBeyondFourDigits = (date: Date) => !Number.isNaN(date.getTime()) && /^[+-]/.test(date.toISOString());

/**
 * A date and time with offset (ISO 8601), converted to UTC with milliseconds: `2026-11-27T10:30:15.123Z`. In UTC, too, it
 * must be in the years 0000 to 9999: other years have an extended form (`+010000-…`), which the schema could not read again.
 */
export const moment = z.pipe(
  z.iso
    .datetime({ offset: true })
    .check(
      z.refine((value) => !isBeyondFourDigits(new Date(value)), { error: 'must lie in the years 0000 to 9999 in UTC' }),
    ),
  z.transform((value) => new Date(value).toISOString()),
);

/** A text that begins with a capital letter. */
export const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

import { en } from 'zod/locales';
import * as z from 'zod/mini';

// The messages of refusals: the small zod brings none along.
z.config(en());

/** Text of `min` to `max` characters that every store and wire keeps as it is (no lone surrogates). */
export const text = (min: number, max: number) =>
  z.string().check(
    z.minLength(min),
    z.maxLength(max),
    z.refine((value) => value.isWellFormed(), { error: 'must be well-formed Unicode' }),
  );

const isBeyondFourDigits = (date: Date) => !Number.isNaN(date.getTime()) && /^[+-]/.test(date.toISOString());

/**
 * A moment with its offset (ISO 8601), kept as UTC with milliseconds: `2026-11-27T10:30:15.123Z`. In UTC, too, it lies in
 * the years 0000 to 9999: others have a form of their own (`+010000-…`), which would not be read back.
 */
export const moment = z.pipe(
  z.iso
    .datetime({ offset: true })
    .check(
      z.refine((value) => !isBeyondFourDigits(new Date(value)), { error: 'must lie in the years 0000 to 9999 in UTC' }),
    ),
  z.transform((value) => new Date(value).toISOString()),
);

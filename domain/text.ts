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

/** A moment with its offset (ISO 8601), kept as UTC with milliseconds: `2026-11-27T10:30:15.123Z`. */
export const moment = z.pipe(
  z.iso.datetime({ offset: true }),
  z.transform((value) => new Date(value).toISOString()),
);

import * as z from 'zod';

/** Text of `min` to `max` characters that every store and wire keeps as it is (no lone surrogates). */
export const text = (min: number, max: number) =>
  z
    .string()
    .min(min)
    .max(max)
    .refine((value) => value.isWellFormed(), { error: 'must be well-formed Unicode' });

/** A moment with its offset (ISO 8601), kept as UTC with milliseconds: `2026-11-27T10:30:15.123Z`. */
export const moment = z.iso.datetime({ offset: true }).transform((value) => new Date(value).toISOString());

import type * as z from 'zod/mini';
import type { Detail } from '../domain/refusal';

/** Longest text that a message repeats of the input. */
export const SHOWN = 64;

/** What a schema found, as the details of a refusal; unknown fields are named. */
export const toDetails = (error: z.core.$ZodError): Detail[] =>
  error.issues.map((issue) => ({
    path: issue.path.map(String).join('.').slice(0, SHOWN),
    message:
      issue.code === 'unrecognized_keys'
        ? `unknown field: ${issue.keys.map((name) => name.slice(0, SHOWN)).join(', ')}`
        : issue.message,
  }));

import type * as z from 'zod/mini';
import type { Detail } from '../../domain/refusal';

/** Longest text that a message repeats of the input. */
export const SHOWN = 64;
/** Most faults that an answer names, and most unknown fields in one of them: an answer is for a person to read. */
const MAX_DETAILS = 20;
const MAX_NAMES = 5;

function named(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => name.slice(0, SHOWN));
  return [...shown, ...(names.length > MAX_NAMES ? [`and ${names.length - MAX_NAMES} more`] : [])].join(', ');
}

const toDetail = (issue: z.core.$ZodIssue): Detail => ({
  path: issue.path.map(String).join('.').slice(0, SHOWN),
  message: issue.code === 'unrecognized_keys' ? `unknown field: ${named(issue.keys)}` : issue.message,
});

/** What a schema found, as the details of a refusal, of which the first are named; so are unknown fields. */
export function toDetails({ issues }: z.core.$ZodError): Detail[] {
  const more = issues.length - MAX_DETAILS;
  const details = issues.slice(0, MAX_DETAILS).map(toDetail);
  return more > 0 ? [...details, { path: '', message: `and ${more} more faults` }] : details;
}

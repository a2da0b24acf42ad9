import type * as z from 'zod/mini';
import type { Detail } from '../../domain/refusal';

/** Longest part of the input that an error message repeats, in characters. */
export const MAX_SHOWN = 64;
/** Most faults in an answer, and most unknown fields in one fault, so that the answer stays readable. */
const MAX_DETAILS = 20;
const MAX_NAMES = 5;

function named(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_SHOWN));
  return [...shown, ...(names.length > MAX_NAMES ? [`and ${names.length - MAX_NAMES} more`] : [])].join(', ');
}

const toDetail = (issue: z.core.$ZodIssue): Detail => ({
  path: issue.path.map(String).join('.').slice(0, MAX_SHOWN),
  message: issue.code === 'unrecognized_keys' ? `unknown field: ${named(issue.keys)}` : issue.message,
});

/** The issues of a schema as the details of a refusal; the first 20 are listed, the others counted. */
export function toDetails({ issues }: z.core.$ZodError): Detail[] {
  const more = issues.length - MAX_DETAILS;
  const details = issues.slice(0, MAX_DETAILS).map(toDetail);
  return more > 0 ? [...details, { path: '', message: `and ${more} more faults` }] : details;
}

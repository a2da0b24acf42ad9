import type * as z from 'zod/mini';
import { describeFault, MAX_SUGGESTIONS } from '../../contract/terms/validation-messages';
import type { Unreadable } from '../../domain/values/judged';
import { invalid, Refusal, type Detail } from '../../domain/values/refusal';

/** Longest part of the input that an error message repeats, in characters. */
export const MAX_SHOWN = 64;
/** Most faults in an answer, so that it stays readable. */
export const MAX_DETAILS = MAX_SUGGESTIONS;

/** A path as an answer has it; well-formed, although a name may not be, and although it may be cut. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => String(part).slice(0, MAX_SHOWN))
    .join('.')
    .slice(0, MAX_SHOWN)
    .toWellFormed();

/** One detail for each fault; an issue about unknown names has a line for each of them. */
function detailsOf(issue: z.core.$ZodIssue): Detail[] {
  if (issue.code === 'invalid_union') return meantIn(issue).flatMap(detailsOf);
  if (issue.code !== 'unrecognized_keys') return [{ path: formatPath(issue.path), message: issue.message }];
  const [first = '', ...others] = issue.message.split('\n');
  return issue.keys.map((key, index) => ({
    path: formatPath([...issue.path, key]),
    message: [first, ...others][index] ?? first,
  }));
}

/** Whether a fault says that another of several schemas is meant: by a constant that tells them apart. */
const isOfAnother = ({ code, path }: z.core.$ZodIssue): boolean =>
  path.length === 1 && (code === 'invalid_value' || code === 'invalid_format');

/** The faults by that one of several schemas which is meant; if none is, by the last one. */
function meantIn({ errors, path }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] {
  const meant = errors.find((faults) => !faults.some(isOfAnother)) ?? errors.at(-1) ?? [];
  return meant.map((fault) => ({ ...fault, path: [...path, ...fault.path] }));
}

/** The issues of a schema as the details of a refusal. */
export const toDetails = ({ issues }: z.core.$ZodError): Detail[] => readable(issues.flatMap(detailsOf));

/** Why an element of a list could not be read, with the path in it. */
export function faultsIn({ input, schema }: Unreadable): Detail[] {
  const { error } = schema.safeParse(input, { error: describeFault });
  return error ? toDetails(error) : [];
}

/** Details as an answer has them: the first 20 faults are listed, the others counted. */
export function readable(details: readonly Detail[]): Detail[] {
  const more = details.length - MAX_DETAILS;
  const shown = details.slice(0, MAX_DETAILS);
  return more > 0 ? [...shown, { path: '', message: `and ${more} more faults` }] : shown;
}

/** @throws Refusal `invalid_request` when there are so many faults that zod can't join them, which a file of 700 kB may have */
function parse<Output>(schema: z.ZodMiniType<Output>, value: unknown, error: z.core.$ZodErrorMap) {
  try {
    return schema.safeParse(value, { error });
  } catch (cause) {
    if (cause instanceof RangeError) throw invalid('', 'has more faults than can be named');
    throw cause;
  }
}

/**
 * Validates what a client sent.
 * @param describe says what is wrong with a part of the input
 * @throws Refusal `invalid_request` that says of each fault what is wrong
 */
export function check<Output>(
  schema: z.ZodMiniType<Output>,
  value: unknown,
  describe: z.core.$ZodErrorMap = describeFault,
): Output {
  const parsed = parse(schema, value, describe);
  if (!parsed.success) throw new Refusal('invalid_request', toDetails(parsed.error));
  return parsed.data;
}

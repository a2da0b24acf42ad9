import type * as z from 'zod/mini';
import { didYouMean } from './did-you-mean';

/** Most unknown names of one object for which the nearest known name is looked up: an answer lists no more. */
export const MAX_SUGGESTIONS = 20;
/** Longest part of an unknown name that is compared with the known ones, in characters. */
const MAX_COMPARED = 64;

const nouns: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'an integer',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
  tuple: 'a list',
};

const formats: Readonly<Record<string, string>> = {
  datetime: 'must be a date and time with an offset (ISO 8601), such as 2026-11-27T10:30:00Z',
  uuid: 'must be a UUID',
};

/** Name of the type that a schema wants; integers are numbers with a format. */
function expectedType({ expected, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  const definition = inst?._zod.def as { format?: unknown } | undefined;
  return expected === 'number' && definition?.format === 'safeint' ? 'int' : expected;
}

function wrongType(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  if (issue.input === undefined) return 'is required';
  // JSON numbers such as 1e999 are read as Infinity.
  if (issue.input === Infinity || issue.input === -Infinity) return 'must be a number that JSON can carry back';
  const noun = nouns[expectedType(issue)];
  return noun === undefined ? 'has the wrong type' : `must be ${noun}`;
}

function wrongSize(origin: string, limit: number | bigint, most: boolean): string {
  if (origin === 'string' && !most && limit === 1) return 'must not be empty';
  if (origin === 'string') return `must be at ${most ? 'most' : 'least'} ${limit} characters long`;
  if (origin === 'array') return `must have at ${most ? 'most' : 'least'} ${limit} elements`;
  return `must be ${limit} or ${most ? 'less' : 'more'}`;
}

/** The names that an object may have; none when the schema can't tell. */
function knownNames({ inst }: z.core.$ZodRawIssue): string[] {
  const definition = inst?._zod.def as { shape?: object } | undefined;
  return Object.keys(definition?.shape ?? {});
}

/** What is said of each of the first unknown names: the nearest known one. */
const suggestions = (issue: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): string[] =>
  issue.keys.slice(0, MAX_SUGGESTIONS).map((name) => didYouMean(name.slice(0, MAX_COMPARED), knownNames(issue)));

/**
 * Describes a fault of an input to the person who sent it, in place of zod's own texts: an error map of zod.
 * @returns a clause that follows the path of the fault, such as `must be an integer`; for unknown names a line for each of
 *   the first {@link MAX_SUGGESTIONS}, in the order of the issue's `keys`
 */
export const describeFault: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue);
    case 'invalid_value':
      if (issue.input === undefined) return 'is required';
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return wrongSize(issue.origin, issue.minimum, false);
    case 'too_big':
      return wrongSize(issue.origin, issue.maximum, true);
    case 'invalid_format':
      return formats[issue.format] ?? 'has the wrong form';
    case 'unrecognized_keys':
      return suggestions(issue)
        .map((suggestion) => `unknown field${suggestion}`)
        .join('\n');
    default:
      return 'is not valid';
  }
};

/** The end of an answer about an unknown parameter: a query has few, so they are listed. */
export const knownParameters = (known: readonly string[]): string =>
  known.length > 0 ? ` (known: ${known.toSorted().join(', ')})` : ' (this endpoint has none)';

/** {@link describeFault} for the parameters of a query. */
export const describeParameterFault: z.core.$ZodErrorMap = (issue) => {
  if (issue.code !== 'unrecognized_keys') return describeFault(issue);
  const known = knownParameters(knownNames(issue));
  return suggestions(issue)
    .map((suggestion) => `unknown parameter${suggestion}${known}`)
    .join('\n');
};

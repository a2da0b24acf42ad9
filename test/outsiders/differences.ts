/** Expected value: fields and elements likewise; a pattern matches a text. */
export type Expected =
  | RegExp
  | string
  | number
  | boolean
  | null
  | readonly Expected[]
  | { readonly [field: string]: Expected };

/**
 * Differences of a value from the expected one. Additional fields are allowed, additional elements are not. A text is
 * parsed as JSON where fields are expected.
 * @returns one text per difference, with its path
 */
export function differences(expected: Expected, value: unknown, path = 'it'): string[] {
  const wrong = [`${path} is ${value === undefined ? 'missing' : JSON.stringify(value)} instead of ${shown(expected)}`];
  if (expected instanceof RegExp) return typeof value === 'string' && expected.test(value) ? [] : wrong;
  if (typeof expected !== 'object' || expected === null) return value === expected ? [] : wrong;
  const given = typeof value === 'string' ? parsed(value) : value;
  if (typeof given !== 'object' || given === null) return wrong;
  if (isList(expected)) {
    if (!Array.isArray(given) || given.length !== expected.length) return wrong;
    return expected.flatMap((one, index) => differences(one, given[index], `${path}[${index}]`));
  }
  const fields = given as Readonly<Record<string, unknown>>;
  return Object.entries(expected).flatMap(([name, one]) => differences(one, fields[name], `${path}.${name}`));
}

const isList = (expected: object): expected is readonly Expected[] => Array.isArray(expected);

const shown = (expected: Expected) => (expected instanceof RegExp ? String(expected) : JSON.stringify(expected));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

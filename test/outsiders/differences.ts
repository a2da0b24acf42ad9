/** What a value must have: fields and elements of the same form; a text may be given by a pattern. */
export type Expected =
  RegExp | string | number | boolean | null | readonly Expected[] | { readonly [field: string]: Expected };

/**
 * Where a value is not what it must be. Fields that nothing is expected of may be there; elements may not. A text is read
 * as JSON where fields are expected.
 * @returns a text for each difference, with the path to it; none when all is as it must be
 */
export function differences(expected: Expected, value: unknown, path = 'it'): string[] {
  const wrong = [
    `${path} is ${value === undefined ? 'not there' : JSON.stringify(value)} instead of ${shown(expected)}`,
  ];
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

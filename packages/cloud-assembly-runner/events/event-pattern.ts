/**
 * Event patterns: EventBridge user guide, "Comparison operators for use in event patterns", and Lambda developer guide,
 * "Filter rule syntax", which share a language. All operators that Lambda accepts are supported.
 */

/** Whether an event (parsed JSON) matches. */
export type EventPattern = (event: unknown) => boolean;

/**
 * Compiles a pattern, given as JSON. All fields of the pattern must match, each with any value of its list; other
 * fields of the event are ignored.
 * @throws Error for an invalid pattern, and for an unsupported operator, by name
 */
export function parseEventPattern(text: string): EventPattern {
  return patternOf(JSON.parse(text), text);
}

/** Tests all values at one path of an event: none if the path is missing, several for a list. */
type Test = (values: readonly unknown[]) => boolean;

function patternOf(pattern: unknown, text: string): EventPattern {
  if (!isObject(pattern)) throw new Error(`${text} is not an event pattern: an object of fields is expected`);
  const fields = Object.entries(pattern).map(([name, expected]) =>
    name === '$or' ? eitherOf(expected, text) : field(name, expected, text),
  );
  return (event) => fields.every((matches) => matches(event));
}

function eitherOf(expected: unknown, text: string): EventPattern {
  if (!Array.isArray(expected)) throw new Error(`${text}: $or takes a list of patterns`);
  const patterns = expected.map((one) => patternOf(one, text));
  return (event) => patterns.some((matches) => matches(event));
}

function field(name: string, expected: unknown, text: string): EventPattern {
  const under = (event: unknown) =>
    isObject(event) && Object.hasOwn(event, name) ? (event as Record<string, unknown>)[name] : undefined;
  if (!Array.isArray(expected)) {
    const inner = patternOf(expected, text);
    return (event) => {
      const value = under(event);
      return Array.isArray(value) ? value.some(inner) : inner(value);
    };
  }
  if (expected.length === 0) throw new Error(`${text}: empty arrays are not allowed`);
  const tests = expected.map((one) => testFor(one, text));
  return (event) => {
    const value = under(event);
    // Patterns match leaf values only, never objects.
    const values = (Array.isArray(value) ? (value as unknown[]) : [value]).filter(
      (one) => one !== undefined && !isObject(one),
    );
    return tests.some((matches) => matches(values));
  };
}

function testFor(expected: unknown, text: string): Test {
  if (!isObject(expected)) return some((value) => value === expected);
  const [[operator, operand] = ['', undefined], ...others] = Object.entries(expected);
  const make = operators[operator];
  if (!make || others.length > 0) {
    throw new Error(`${text}: the operator ${Object.keys(expected).join(', ')} is not supported on this machine`);
  }
  const test = make(operand);
  if (!test) throw new Error(`${text}: ${operator} does not take ${JSON.stringify(operand)}`);
  return test;
}

/** Compiles the operand of each operator; undefined if it is invalid. */
const operators: Readonly<Record<string, (operand: unknown) => Test | undefined>> = {
  exists: (operand) => (typeof operand === 'boolean' ? (values) => values.length > 0 === operand : undefined),
  prefix: (operand) => onText(operand, (value, start) => value.startsWith(start)),
  suffix: (operand) => onText(operand, (value, end) => value.endsWith(end)),
  'equals-ignore-case': (operand) => onText(operand, (value, other) => value.toLowerCase() === other.toLowerCase()),
  'anything-but': (operand) => {
    if (isObject(operand)) {
      const [[operator, inner] = ['', undefined]] = Object.entries(operand);
      const test = ['prefix', 'suffix', 'equals-ignore-case'].includes(operator) && operators[operator]?.(inner);
      return test ? some((value) => !test([value])) : undefined;
    }
    const excluded: unknown[] = Array.isArray(operand) ? operand : [operand];
    return some((value) => !excluded.includes(value));
  },
  numeric: (operand) => {
    if (!Array.isArray(operand) || operand.length === 0 || operand.length % 2 !== 0) return undefined;
    const bounds: { compare: (a: number, b: number) => boolean; bound: number }[] = [];
    for (let index = 0; index < operand.length; index += 2) {
      const [sign, bound] = operand.slice(index, index + 2) as unknown[];
      const compare = typeof sign === 'string' ? comparisons[sign] : undefined;
      if (!compare || typeof bound !== 'number') return undefined;
      bounds.push({ compare, bound });
    }
    return some((value) => typeof value === 'number' && bounds.every(({ compare, bound }) => compare(value, bound)));
  },
};

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

function onText(operand: unknown, matches: (value: string, operand: string) => boolean): Test | undefined {
  return typeof operand === 'string'
    ? some((value) => typeof value === 'string' && matches(value, operand))
    : undefined;
}

function some(matches: (value: unknown) => boolean): Test {
  return (values) => values.some(matches);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

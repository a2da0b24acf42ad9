/**
 * Event patterns: EventBridge user guide, "Comparison operators for use in event patterns", and Lambda developer guide,
 * "Filter rule syntax", which have the same language. Played are all operators that Lambda takes.
 */

/** Whether an event, as parsed JSON, fits a pattern. */
export type EventPattern = (event: unknown) => boolean;

/**
 * Reads a pattern; `text` is its JSON. Fields are matched by name, all of a pattern's must fit, of the values in a list
 * any one; what the event has beyond the pattern does not matter.
 * Throws for what is no pattern, and for operators that are not played, naming them.
 */
export function parseEventPattern(text: string): EventPattern {
  return patternOf(JSON.parse(text), text);
}

/** Tests all values that an event has in one place: none when the place is missing, several when it holds a list. */
type Test = (values: readonly unknown[]) => boolean;

function patternOf(pattern: unknown, text: string): EventPattern {
  if (!isObject(pattern)) throw new Error(`${text} is no event pattern: an object of fields is expected`);
  const fields = Object.entries(pattern).map(([name, wanted]) =>
    name === '$or' ? eitherOf(wanted, text) : field(name, wanted, text),
  );
  return (event) => fields.every((fits) => fits(event));
}

function eitherOf(wanted: unknown, text: string): EventPattern {
  if (!Array.isArray(wanted)) throw new Error(`${text}: $or takes a list of patterns`);
  const patterns = wanted.map((one) => patternOf(one, text));
  return (event) => patterns.some((fits) => fits(event));
}

function field(name: string, wanted: unknown, text: string): EventPattern {
  const under = (event: unknown) =>
    isObject(event) && Object.hasOwn(event, name) ? (event as Record<string, unknown>)[name] : undefined;
  if (!Array.isArray(wanted)) {
    const inner = patternOf(wanted, text);
    return (event) => {
      const value = under(event);
      return Array.isArray(value) ? value.some(inner) : inner(value);
    };
  }
  const tests = wanted.map((one) => testFor(one, text));
  return (event) => {
    const value = under(event);
    // Patterns speak of leaves: an object is no value.
    const values = (Array.isArray(value) ? (value as unknown[]) : [value]).filter(
      (one) => one !== undefined && !isObject(one),
    );
    return tests.some((fits) => fits(values));
  };
}

function testFor(wanted: unknown, text: string): Test {
  if (!isObject(wanted)) return some((value) => value === wanted);
  const [[operator, operand] = ['', undefined], ...others] = Object.entries(wanted);
  const make = operators[operator];
  if (!make || others.length > 0) {
    throw new Error(`${text}: the operator ${Object.keys(wanted).join(', ')} is not played on this machine`);
  }
  const test = make(operand);
  if (!test) throw new Error(`${text}: ${operator} does not take ${JSON.stringify(operand)}`);
  return test;
}

/** What each operator makes of its operand; nothing when it can't take it. */
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

function onText(operand: unknown, fits: (value: string, operand: string) => boolean): Test | undefined {
  return typeof operand === 'string' ? some((value) => typeof value === 'string' && fits(value, operand)) : undefined;
}

function some(fits: (value: unknown) => boolean): Test {
  return (values) => values.some(fits);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

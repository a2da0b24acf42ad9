/** A term of an expression: a metric by its id, and the value of a period in which it has none. */
export interface Term {
  readonly id: string;
  readonly fill: number;
}

const TERM = /^FILL\(\s*([a-z]\w*)\s*,\s*(-?\d+(?:\.\d+)?)\s*\)$/;

/**
 * Reads metric math, of which only sums of `FILL(<id>, <number>)` are supported (CloudWatch user guide, "Using math
 * expressions with CloudWatch metrics").
 * @throws Error with the part of the expression that is not supported
 */
export function termsOf(expression: string): Term[] {
  return expression.split('+').map((text) => {
    const [, id, fill] = TERM.exec(text.trim()) ?? [];
    if (id === undefined)
      throw new Error(`"${text.trim()}" of the expression "${expression}" is not FILL(<id>, <number>)`);
    return { id, fill: Number(fill) };
  });
}

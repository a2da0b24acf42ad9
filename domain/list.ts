import * as z from 'zod/mini';

/**
 * A list of `min` to `max` elements. Its length is checked before any of them is looked at, so that a long list of wrong
 * elements costs no more than a short one.
 * @param what is in it, for the message: `must have at most 40 samples`
 */
export const list = <Element extends z.ZodMiniType>(element: Element, min: number, max: number, what: string) =>
  z.pipe(
    z
      .array(z.unknown())
      .check(
        z.minLength(min, { error: `must have at least ${min} ${what}`, abort: true }),
        z.maxLength(max, { error: `must have at most ${max} ${what}`, abort: true }),
      ),
    z.array(element),
  );

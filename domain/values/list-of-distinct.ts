import * as z from 'zod/mini';

/**
 * A list of `min` to `max` elements. The length is checked before the elements are, so that a long list of invalid elements
 * costs no more than a short one.
 * @param what name of the elements in the message: `must have at most 40 samples`
 */
export const listOfDistinct = <Element extends z.ZodMiniType>(
  element: Element,
  min: number,
  max: number,
  what: string,
) =>
  z.pipe(
    z
      .array(z.unknown())
      .check(
        z.minLength(min, { error: min === 1 ? 'must not be empty' : `must have at least ${min} ${what}`, abort: true }),
        z.maxLength(max, { error: `must have at most ${max} ${what}`, abort: true }),
      ),
    z.array(element),
  );

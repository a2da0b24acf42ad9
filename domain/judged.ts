import * as z from 'zod/mini';

/** An element of a list that its schema refuses: as it arrived, and what is wrong with it. */
export class Unreadable {
  constructor(
    readonly input: unknown,
    readonly issues: readonly z.core.$ZodIssue[],
  ) {}
}

/**
 * A schema for an element of a list in which each is judged by itself: one that it refuses becomes {@link Unreadable}, and fails
 * nothing else. The JSON Schema is that of the element.
 */
export const judged = <Element extends z.ZodMiniType>(
  element: Element,
): z.ZodMiniType<z.output<Element> | Unreadable, z.input<Element>> =>
  z.catch(element, ({ input, error }) => new Unreadable(input, error.issues) as never) as never;

import * as z from 'zod/mini';

/** An element of a list that its schema refuses, as it arrived. */
export class Unreadable {
  constructor(
    readonly input: unknown,
    readonly schema: z.ZodMiniType,
  ) {}
}

/**
 * A schema for an element of a list in which each is judged by itself: one that it refuses becomes {@link Unreadable}, and fails
 * nothing else. The JSON Schema is that of the element.
 */
export const judged = <Element extends z.ZodMiniType>(
  element: Element,
): z.ZodMiniType<z.output<Element> | Unreadable, z.input<Element>> =>
  z.catch(element, ({ value }) => new Unreadable(value, element) as never);

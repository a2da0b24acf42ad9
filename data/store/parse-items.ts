/**
 * Parses the items of a list. An item that can't be parsed is left out, so that the others can be read, and logged as an
 * error without its content, which the alarm of the function counts.
 * @param read throws for an item that can't be parsed
 */
export function parseItems<Item, Value>(items: readonly Item[], read: (item: Item) => Value): Value[] {
  return items.flatMap((item) => {
    try {
      return [read(item)];
    } catch (error) {
      // Lambda logs this with level ERROR (developer guide, "Using JSON structured logs with Node.js").
      console.error('an item of a list could not be read', error instanceof Error ? error.name : '');
      return [];
    }
  });
}

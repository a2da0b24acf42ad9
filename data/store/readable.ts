/**
 * Reads the items of a list. One that is none of ours keeps no other back: it is left out, and named in the log as an
 * error, which the alarm of the function counts. What it holds is not told.
 * @param read throws for an item that can't be read
 */
export function readable<Item, Value>(items: readonly Item[], read: (item: Item) => Value): Value[] {
  return items.flatMap((item) => {
    try {
      return [read(item)];
    } catch (error) {
      // Lambda's log makes a line with level ERROR of it (developer guide, "Using JSON structured logs with Node.js").
      console.error('an item of a list could not be read', error instanceof Error ? error.name : '');
      return [];
    }
  });
}

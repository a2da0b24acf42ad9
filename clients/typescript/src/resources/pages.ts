/** A page of a list, and what to ask for the next one with. */
interface Page {
  readonly nextToken?: string | undefined;
}

/**
 * The items of a list, page after page; a page is read when its first item is needed.
 * @param read reads the page that a token stands for, or the first one
 */
export async function* itemsOf<Read extends Page, Item>(
  read: (nextToken: string | undefined) => Promise<Read>,
  itemsIn: (page: Read) => readonly Item[],
): AsyncGenerator<Item, void, undefined> {
  let nextToken: string | undefined;
  do {
    const page = await read(nextToken);
    yield* itemsIn(page);
    ({ nextToken } = page);
  } while (nextToken !== undefined);
}

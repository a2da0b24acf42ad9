/** The element of index.html with this id and of this kind; throws when the page has none. */
export function element<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no ${id}`);
  return found;
}

/** Writes text only when it differs, so that nothing is laid out anew, or read out again, without need. */
export function write(into: Element, text: string): void {
  if (into.textContent !== text) into.textContent = text;
}

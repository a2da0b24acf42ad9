/** The element of index.html with this id and type. @throws Error when the page has none */
export function element<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no ${id}`);
  return found;
}

/** Sets text only when it differs, to avoid a new layout and repeated screen-reader output. */
export function setText(into: Element, text: string): void {
  if (into.textContent !== text) into.textContent = text;
}

/** What Scalar's elements lack for screen readers and keyboards (WCAG 4.1.2, 2.1.1), by selector. */
const repairs: Readonly<Record<string, (element: Element) => void>> = {
  // Its icon has no text, and it names an element that does not exist yet.
  '[class*="copy-button"]:not([aria-label])': (button) => {
    button.setAttribute('aria-label', 'Copy');
    button.removeAttribute('aria-controls');
  },
  // A long path makes it scroll.
  'ul.endpoints:not([tabindex])': (list) => list.setAttribute('tabindex', '0'),
  // The name of the header that has the API key.
  '.code-input-lite__editor[data-placeholder]:not([aria-label])': (field) =>
    field.setAttribute('aria-label', field.getAttribute('data-placeholder') ?? ''),
  'button[role="none"]': (button) => button.removeAttribute('role'),
  // It suggests values, but never says whether a list is open.
  '.code-input-lite__editor[role="combobox"]': (field) => {
    field.setAttribute('role', 'textbox');
    field.removeAttribute('aria-autocomplete');
  },
  '.cm-content[role="textbox"]:not([aria-label])': (text) => text.setAttribute('aria-label', 'Body'),
  // A long response scrolls, and has nothing in it that a keyboard reaches.
  '.cm-scroller[tabindex="-1"]:not(:has([contenteditable="true"]))': (area) => area.setAttribute('tabindex', '0'),
  // The label is another text than the one that is shown.
  'button.show-more[aria-label]': (button) => button.removeAttribute('aria-label'),
};

/** Repairs all elements of the page, now and whenever Scalar adds some. */
export function keepAccessible(): void {
  const repair = () => {
    for (const [selector, apply] of Object.entries(repairs)) document.querySelectorAll(selector).forEach(apply);
  };
  let planned = false;
  new MutationObserver(() => {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      repair();
    });
  }).observe(document.body, { childList: true, subtree: true });
  repair();
}

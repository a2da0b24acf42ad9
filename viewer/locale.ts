import { createFormat } from './format';
import { units } from './settings';
import type { PageText } from './texts/texts';
import { canonicalTag, chooseLanguage } from './texts/languages';

/** The viewer's language, and the page's words in it. */
const chosen = chooseLanguage(navigator.languages);
export const { locale, texts } = chosen;

// Libraries hand the browser's language to Intl as it is, and it throws when that is no tag, such as `C`.
if (canonicalTag(navigator.language) !== navigator.language)
  Object.defineProperty(navigator, 'language', { value: locale });

/** Figures in the viewer's language and units. */
export const format = createFormat({ locale, texts, units: () => units.value });

/** Fills in the words of index.html and sets the document's language. */
export function translatePage(): void {
  document.documentElement.lang = chosen.language;
  for (const one of document.querySelectorAll<HTMLElement>('[data-text]'))
    one.textContent = texts.page[one.dataset['text'] as PageText];
  for (const one of document.querySelectorAll<HTMLElement>('[data-label]')) {
    const label = texts.page[one.dataset['label'] as PageText];
    one.ariaLabel = label;
    if (one instanceof HTMLButtonElement) one.title = label;
  }
}

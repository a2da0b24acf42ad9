import { de } from './de';
import { en } from './en';
import type { Texts } from './texts';

/** The page's languages by their subtag (BCP 47); the first is the default. */
export const languages: Readonly<Record<string, Texts>> = { en, de };

export interface Language {
  /** Value of the document's `lang`: `en` or `de`. */
  readonly language: string;
  /** Tag for numbers and dates, with the viewer's region: `de-CH`. */
  readonly locale: string;
  readonly texts: Texts;
}

/** Chooses the first of the viewer's languages that the page has, English if none. @param wanted tags, favourite first */
export function chooseLanguage(wanted: readonly string[]): Language {
  for (const locale of wanted) {
    const [language = ''] = locale.toLowerCase().split('-');
    const texts = languages[language];
    if (texts) return { language, locale, texts };
  }
  return { language: 'en', locale: 'en', texts: en };
}

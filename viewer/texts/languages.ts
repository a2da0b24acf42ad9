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

/**
 * A language tag as `Intl` takes it (BCP 47), also of a POSIX locale such as `de_CH.UTF-8@euro`, which Chromium passes on from
 * the environment. Undefined when it is none, as `C` is.
 */
export function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.replace(/[.@].*/, '').replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}

/** Chooses the first of the viewer's languages that the page has, English if none. @param wanted tags, favourite first */
export function chooseLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const locale = canonicalTag(tag);
    const language = locale?.split('-')[0] ?? '';
    const texts = Object.hasOwn(languages, language) ? languages[language] : undefined;
    if (locale !== undefined && texts) return { language, locale, texts };
  }
  return { language: 'en', locale: 'en', texts: en };
}

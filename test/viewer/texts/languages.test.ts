import { chooseLanguage, languages } from '../../../viewer/texts/languages';

/** Paths of all texts of a language, and the empty ones. */
function pathsOf(texts: object, path = ''): string[] {
  return Object.entries(texts).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null ? pathsOf(value, `${path}${name}.`) : [`${path}${name}`],
  );
}

describe('The languages of the share page', () => {
  test.each<[readonly string[], string, string]>([
    [['de-CH', 'en'], 'de', 'de-CH'],
    [['fr', 'de'], 'de', 'de'],
    [['en-GB', 'de'], 'en', 'en-GB'],
    [['fr-FR'], 'en', 'en'],
    [[], 'en', 'en'],
    [['C'], 'en', 'en'],
    [['C', 'de-AT'], 'de', 'de-AT'],
    [['en-US@posix'], 'en', 'en-US'],
    [['de_CH.UTF-8@euro'], 'de', 'de-CH'],
    [['DE-ch'], 'de', 'de-CH'],
    [['', '*', 'x', 'de-', 'constructor', 'de'], 'de', 'de'],
  ])('for %j are %s, with the numbers of %s', (wanted, language, locale) => {
    expect(chooseLanguage(wanted)).toMatchObject({ language, locale, texts: languages[language] });
  });

  // The type of a language demands each text but those of states, which are open-ended.
  test('have the same texts', () => {
    const [english = [], german = []] = Object.values(languages).map((texts) => pathsOf(texts));
    expect(german).toEqual(english);
    expect(english.length).toBeGreaterThan(120);
  });

  test('have no empty text but what needs no advice', () => {
    const texts = Object.values(languages);
    const empty = texts.flatMap((one) => JSON.stringify(one).match(/"\w+":""/g) ?? []);
    expect(empty).toEqual(texts.map(() => '"advice":""'));
  });
});

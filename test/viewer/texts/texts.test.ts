import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { type ConnectionState, noticeFor } from '../../../viewer/connection';
import { de } from '../../../viewer/texts/de';
import { en } from '../../../viewer/texts/en';
import { chooseLanguage, languages } from '../../../viewer/texts/languages';
import type { Texts } from '../../../viewer/texts/texts';

/** What a message tells the viewer to do, and the words of it in English and German. */
const actions = {
  wait: [
    /\b[Ww]ait\b|by itself|keeps trying|Trying again/,
    /\b[Ww]arten\b|von selbst|versucht es weiter|Neuer Versuch/,
  ],
  ask: [/\b[Aa]sk\b/, /\b(Bitten|Fragen) Sie\b/],
  checkInternet: [/check your internet connection/, /prüfen Sie\b.* Ihre Internetverbindung/],
  pressAgain: [/press again|Press again/, /[Dd]rücken Sie\b.* erneut|Nochmals drücken/],
  reload: [/[Rr]eload/, /Laden Sie die Seite neu/],
  watch: [/watch|[Ss]ee what the drone does|look at the drone/, /Folgen Sie|Sehen Sie/],
  nothing: [/./, /./],
  /** The sentence after it tells. */
  seeNext: [/./, /./],
  /** The drone can't: there is nothing to be done. */
  accept: [/cannot/, /kann das nicht/],
} as const satisfies Readonly<Record<string, readonly [RegExp, RegExp]>>;

/** Every message that the page can show. */
const told: Readonly<Record<string, keyof typeof actions>> = {
  'notices.live': 'nothing',
  'notices.connecting': 'checkInternet',
  'notices.reconnecting': 'checkInternet',
  'notices.revoked': 'ask',
  'notices.expired': 'ask',
  'notices.ended': 'ask',
  'notices.full': 'wait',
  'notices.notFound': 'ask',
  'notices.old': 'wait',
  'notices.noReport': 'wait',
  'notices.removed': 'ask',
  'map.unavailable': 'wait',
  'map.failed': 'reload',
  'charts.unavailable': 'reload',
  'video.interrupted': 'seeNext',
  'video.tryingAgain': 'wait',
  'video.notLoaded': 'seeNext',
  'video.none': 'wait',
  'video.noStream': 'watch',
  'video.ended': 'ask',
  'controls.confirm': 'nothing',
  'controls.holding': 'nothing',
  'controls.pressAgain': 'pressAgain',
  'controls.sending': 'nothing',
  'controls.onItsWay': 'nothing',
  'controls.noAnswer': 'watch',
  'controls.connectionLost': 'watch',
  'controls.notSent': 'pressAgain',
  'controls.forbidden': 'ask',
  'controls.shareEnded': 'ask',
  'controls.tooMany': 'pressAgain',
  'controls.notNow': 'watch',
  'controls.notSupported': 'accept',
  'controls.refusedBecause': 'seeNext',
  'controls.DONE': 'nothing',
  'controls.REFUSED': 'seeNext',
  'controls.FAILED': 'seeNext',
  'controls.DELIVERED': 'nothing',
  'controls.TIMED_OUT': 'watch',
  'controls.SUPERSEDED': 'nothing',
  'controls.withoutReason': 'ask',
  'blocked.notConnected': 'wait',
  'blocked.ended': 'nothing',
  'blocked.onTheGround': 'nothing',
  'blocked.notReported': 'wait',
  'blocked.fliesAlready': 'nothing',
  'reasons.NOT_SUPPORTED': 'accept',
  'reasons.NOT_ALLOWED': 'ask',
  'reasons.DEVICE_OFFLINE': 'pressAgain',
  'reasons.DEVICE_BUSY': 'pressAgain',
  'reasons.TOO_LATE': 'pressAgain',
  'reasons.DEVICE_FAULT': 'ask',
  'reasons.OUT_OF_ORDER': 'nothing',
  'reasons.OUT_OF_RANGE': 'nothing',
  'reasons.SHARE_ENDED': 'nothing',
};

/** Messages by their path in the texts. */
function messagesOf(texts: Texts): Record<string, string> {
  const { refusedBecause, ...controls } = texts.controls;
  const notices = Object.entries(texts.notices).map(
    ([name, { title, advice }]) => [name, `${title} ${advice}`] as const,
  );
  const groups = {
    notices: Object.fromEntries(notices),
    map: texts.map,
    charts: texts.charts,
    video: texts.video,
    controls: { ...controls, refusedBecause: refusedBecause('held by another viewer') },
    blocked: texts.blocked,
    reasons: texts.reasons,
  };
  return Object.fromEntries(
    Object.entries(groups).flatMap(([group, messages]) =>
      Object.entries(messages).map(([name, text]) => [`${group}.${name}`, text] as const),
    ),
  );
}

describe('The messages of the share page', () => {
  test('are all listed here', () => {
    expect(Object.keys(messagesOf(en)).sort()).toEqual(Object.keys(told).sort());
  });

  test.each(Object.entries(told))('%s tells the viewer in both languages: %s', (name, action) => {
    const [english, german] = actions[action];
    expect(messagesOf(en)[name]).toMatch(english);
    expect(messagesOf(de)[name]).toMatch(german);
  });
});

describe('noticeFor', () => {
  const state: ConnectionState = { connection: 'live', ending: undefined, wasLive: true, places: undefined };
  test.each<[Partial<ConnectionState>, string]>([
    [{}, 'Connected.'],
    [{ connection: 'reconnecting', wasLive: false }, 'Connecting…'],
    [{ connection: 'reconnecting' }, 'Connection lost.'],
    [{ connection: 'full' }, 'All places are taken.'],
    [{ connection: 'full', places: 10 }, 'All 10 places are taken.'],
    [{ connection: 'full', places: 1 }, 'The only place is taken.'],
    [{ connection: 'not-found' }, 'There is no such share.'],
    [{ connection: 'ended', ending: 'REVOKED' }, 'This share has ended.'],
  ])('with %j is titled %s', (change, title) => expect(noticeFor(en, { ...state, ...change }).title).toBe(title));

  test.each([
    ['REVOKED', en.notices.revoked],
    ['EXPIRED', en.notices.expired],
    [undefined, en.notices.ended],
  ] as const)('tells why a share has ended: %s', (ending, notice) => {
    expect(noticeFor(en, { ...state, connection: 'ended', ending })).toBe(notice);
  });
});

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

const folder = join(__dirname, '../../../viewer');
const html = readFileSync(join(folder, 'index.html'), 'utf8');

/** Texts in code that no viewer reads: of an error that is a defect, keys' names and the beginning of others, a font. */
const unread = ['The page has no ', 'Arrow', 'Enter', '11px system-ui, sans-serif'];

/** String literals in a source file that look like words of a sentence or a label. */
function wordsIn(source: ts.Node): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      const { text } = node;
      const label = /^[A-Z][a-z]{2,}$|[A-Za-z]{2,} [a-z]{2,}|\p{L}{2,}…/u.test(text);
      const classes = /^[a-z-]+( [a-z-]+)*$/.test(text) && text.includes('-');
      if (label && !classes && !text.startsWith('<') && !unread.includes(text)) found.push(text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe('The words of the share page are in texts/ only:', () => {
  test.each(readdirSync(folder).filter((name) => name.endsWith('.ts')))('%s has none', (name) => {
    const code = readFileSync(join(folder, name), 'utf8');
    expect(wordsIn(ts.createSourceFile(name, code, ts.ScriptTarget.Latest))).toEqual([]);
  });

  test('the check finds words in code', () => {
    const code = 'show("Hover"); show(`${age} ago is old`); show("Connecting…"); element("map"); import "The map x";';
    const found = wordsIn(ts.createSourceFile('some.ts', code, ts.ScriptTarget.Latest));
    expect(found).toEqual(['Hover', ' ago is old', 'Connecting…']);
  });

  test('the body of index.html has none, but for viewers whose page can’t start, in each language', () => {
    const withoutTexts = /<noscript>[^]*?<\/noscript>|<div class="failure"[^]*?<\/div>/g;
    const body = html.slice(html.indexOf('<body')).replaceAll(/<!--[^]*?-->/g, '');
    const words = body.replaceAll(withoutTexts, '');
    expect(words.replaceAll(/<[^>]*>/g, '').trim()).toMatch(/^[–\s]*$/);
    expect(words).not.toMatch(/ (aria-label|title|alt|placeholder)=/);
    expect(body.match(withoutTexts)?.map((one) => one.match(/<p/g)?.length)).toEqual([2, 2]);
  });

  test('the title that link previews read is the English one', () => {
    expect(html).toContain(`<title>${en.title.share}</title>`);
  });

  test('index.html names each text of the page, and no other', () => {
    const named = [...html.matchAll(/ data-(?:text|label)="(\w+)"/g)].map(([, name]) => name);
    expect([...new Set(named)].sort()).toEqual(Object.keys(en.page).sort());
  });
});

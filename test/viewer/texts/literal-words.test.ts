import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { en } from '../../../viewer/texts/en';

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

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { moveInlineScripts, replaceNotFound } from '../../docs/site/build';

let site: string;
const [pages, assets] = ['pages', 'assets'].map((name) => () => join(site, name)) as [() => string, () => string];
const read = (name: string) => readFileSync(join(site, name), 'utf8');

beforeEach(() => {
  site = mkdtempSync(join(tmpdir(), 'built-pages-'));
  for (const folder of [join(pages(), 'guides'), assets()]) mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(site, { recursive: true }));

describe('Inline scripts of the docs site', () => {
  const external = '<script type="module" src="/docs/assets/app.js"></script>';

  test('become files whose names change with their content, once for all pages', () => {
    for (const name of ['index.html', 'guides/jobs.html'])
      writeFileSync(join(pages(), name), `<head>${external}<script id="check-dark-mode">dark();</script></head>`);
    moveInlineScripts(pages(), assets());
    const [file = ''] = readdirSync(assets());
    expect(file).toMatch(/^check-dark-mode\.[0-9a-f]{8}\.js$/);
    expect(readdirSync(assets())).toHaveLength(1);
    expect(read(`assets/${file}`)).toBe('dark();');
    for (const name of ['index.html', 'guides/jobs.html'])
      expect(read(`pages/${name}`)).toBe(`<head>${external}<script src="/docs/assets/${file}"></script></head>`);
  });

  test.each(['<script>run()</script>', '<script type="module">run()</script>'])('such as %s are refused', (script) => {
    writeFileSync(join(pages(), 'index.html'), script);
    expect(() => moveInlineScripts(pages(), assets())).toThrow('index.html has an inline script');
  });
});

describe('The page for missing pages', () => {
  const page = `<link rel="preload stylesheet" href="/docs/assets/style.1.css" as="style">
    <link rel="preload stylesheet" href="/docs/vp-icons.css" as="style"><link rel="icon" href="data:,">
    <script type="module" src="/docs/assets/metadata.1.js"></script><script type="module" src="/docs/assets/app.1.js"></script>
    <script src="/docs/assets/check-dark-mode.1.js"></script>`;

  test('becomes a script and a style sheet that load what it loaded, in that order', () => {
    writeFileSync(join(pages(), '404.html'), page);
    replaceNotFound(pages());
    expect(readdirSync(pages()).sort()).toEqual(['guides', 'not-found.css', 'not-found.js']);
    expect(read('pages/not-found.js').match(/[\w-]+\.1\.js/g)).toEqual([
      'check-dark-mode.1.js',
      'metadata.1.js',
      'app.1.js',
    ]);
    expect(read('pages/not-found.css')).toBe('@import "/docs/assets/style.1.css";\n@import "/docs/vp-icons.css";\n');
  });

  test('is refused when it loads nothing', () => {
    writeFileSync(join(pages(), '404.html'), '<!DOCTYPE html>');
    expect(() => replaceNotFound(pages())).toThrow('404.html loads no script');
  });
});

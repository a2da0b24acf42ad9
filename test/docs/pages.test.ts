import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(__dirname, '../..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const withoutCode = (text: string) => text.replaceAll(/^ *```[^]*?^ *```$/gm, '');

/** As GitHub names them: a second heading of the same words has a number. */
function anchorsOf(path: string): string[] {
  const headings = [...withoutCode(textOf(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
  return headings.map((anchor, index) => {
    const before = headings.slice(0, index).filter((each) => each === anchor).length;
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

test('each link of a page leads to a file and a heading of this repository', () => {
  const links = pages.flatMap((page) =>
    [...withoutCode(textOf(page)).matchAll(/\]\((?![a-z]+:|\/)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
      ([link, file = '', anchor]) => ({
        link: `${page} ${link}`,
        path: file ? join(dirname(page), file) : page,
        anchor,
      }),
    ),
  );
  expect(links.length).toBeGreaterThan(300);
  const broken = links.filter(
    ({ path, anchor }) => !existsSync(join(root, path)) || (anchor !== undefined && !anchorsOf(path).includes(anchor)),
  );
  expect(broken.map(({ link }) => link)).toEqual([]);
});

test('each decision has its date, and what would reopen it', () => {
  const decisions = pages
    .filter((page) => page.startsWith('docs/decisions/') && !page.endsWith('README.md'))
    .flatMap((page) => textOf(page).split(/^(?=- \*\*|#)/m))
    .filter((text) => text.startsWith('- '));
  expect(decisions.length).toBeGreaterThan(100);
  expect(decisions.filter((text) => !/\*\*\s+\(\d{4}-\d\d(-\d\d)?\)[^]+_Reopen_\s/.test(text))).toEqual([]);
});

test.each([
  ['README.md', 110],
  ['CONTRIBUTING.md', 90],
])('%s is read in one go', (page, lines) => {
  expect(textOf(page).split('\n').length - 1).toBeLessThanOrEqual(lines);
});

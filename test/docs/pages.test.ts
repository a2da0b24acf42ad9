import { execFileSync, spawnSync } from 'node:child_process';
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

const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };

/** Paths in backticks, from the root or the folder of the page; of `local/<service>/index.ts` what precedes the placeholder. */
const pathsIn = (text: string) =>
  [...text.matchAll(/`((?:[\w.-]+\/)+)([\w.-]*)(?=`|(<))/g)].map(([, folder = '', file = '', placeholder]) =>
    placeholder ? folder : folder + file,
  );
const filesIn = (text: string) => [...text.matchAll(/`([\w.-]+\.(?:ts|mjs|json|md))`/g)].map(([, file = '']) => file);
/** Named without the folder that they are in. */
const withoutFolder = ['deploy.yml', 'accepted-problems.ts', 'function-cases.ts', 'on-this-machine/'];

/** The pages for contributors, with the fewest paths and scripts that each must name. */
const contributing = [
  { page: 'CONTRIBUTING.md', paths: 40, names: 20 },
  { page: 'docs/adding.md', paths: 90, names: 3 },
  { page: 'test/README.md', paths: 20, names: 3 },
  { page: 'test/outsiders/README.md', paths: 5, names: 2 },
];

test.each(contributing)('$page names files and folders that exist', ({ page, paths }) => {
  const text = textOf(page);
  const named = [...pathsIn(text), ...filesIn(text)].filter((path) => !withoutFolder.includes(path));
  const exists = (path: string) => [root, join(root, dirname(page))].some((folder) => existsSync(join(folder, path)));
  expect(named.length).toBeGreaterThan(paths);
  expect(named.filter((path) => !exists(path))).toEqual([]);
});

test.each(contributing)('$page names scripts that exist', ({ page, names }) => {
  const named = [...textOf(page).matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(names);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

/** Tests named on the page: a file, and after a colon the beginning of a test title in it. */
const named = [
  ...textOf('docs/trust.md').matchAll(/\| `((?:packages\/[\w-]+\/)?test\/[\w./-]+\.test\.ts)`(?:: ([^|]+?))? +\|/g),
].map(([, file = '', name]) => [file, name ?? ''] as const);

test('docs/trust.md names tests', () => {
  expect(named.length).toBeGreaterThan(15);
});

test.each(named)('%s has the test «%s»', (file, name) => {
  const text = textOf(file).replaceAll("\\'", "'");
  expect(text).toContain(name);
  expect(text).toMatch(/\b(test|it)\b/);
});

const readme = textOf('README.md');
const [, definition = ''] = /^(field\(\) \{.+?\})(?: {2}#.*)?$/m.exec(readme) ?? [];

/** Assigns what `field` finds in an answer, as the commands of the README do, and prints the variable. */
const assign = (answer: string, field: string) =>
  spawnSync('bash', ['-c', `${definition}\nFOUND=$(printf %s "$ANSWER" | field ${field})\nprintf %s "$FOUND"`], {
    encoding: 'utf8',
    env: { ...process.env, ANSWER: answer },
  });

describe('The commands of the README', () => {
  test('take a field of an answer into a variable', () => {
    const { stdout, stderr } = assign('{"success":true,"job":{"jobId":"job-1","name":"x"}}', 'jobId');
    expect({ stdout, stderr }).toEqual({ stdout: 'job-1', stderr: '' });
  });

  test('show an error and leave the variable empty', () => {
    const refusal = '{"error":"Forbidden","error_description":"x-api-key: is missing or unknown"}';
    const { stdout, stderr } = assign(refusal, 'access_token');
    expect({ stdout, stderr: stderr.trim() }).toEqual({ stdout: '', stderr: refusal });
  });

  test('assign no answer unread', () => {
    const assigned = [...readme.matchAll(/^\w+=\$\(curl [\s\S]+?\)(?=$|;)/gm)].map(([command]) => command);
    expect(assigned.length).toBeGreaterThan(1);
    for (const command of assigned) expect(command).toMatch(/ \| field \w+\)$/);
  });
});

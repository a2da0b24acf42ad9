import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(__dirname, '../..');
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');
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
const pages = [
  { page: 'CONTRIBUTING.md', paths: 40, names: 20 },
  { page: 'docs/adding.md', paths: 90, names: 3 },
  { page: 'test/README.md', paths: 20, names: 3 },
  { page: 'test/outsiders/README.md', paths: 5, names: 2 },
];

test.each(pages)('$page names files and folders that exist', ({ page, paths }) => {
  const text = textOf(page);
  const named = [...pathsIn(text), ...filesIn(text)].filter((path) => !withoutFolder.includes(path));
  const exists = (path: string) => [root, join(root, dirname(page))].some((folder) => existsSync(join(folder, path)));
  expect(named.length).toBeGreaterThan(paths);
  expect(named.filter((path) => !exists(path))).toEqual([]);
});

test.each(pages)('$page names scripts that exist', ({ page, names }) => {
  const named = [...textOf(page).matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(names);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

/** Paths from the root in backticks; of one with a placeholder, such as `local/<service>/index.ts`, what precedes it. */
const paths = [...page.matchAll(/`((?:[\w.-]+\/)+)([\w.-]*)(?=`|(<))/g)].map(
  ([, folder = '', file = '', placeholder]) => (placeholder ? folder : folder + file),
);
const files = [...page.matchAll(/`([\w.-]+\.(?:ts|mjs|json|md))`/g)].map(([, file = '']) => file);
/** Named without the folder that they are in. */
const withoutFolder = [
  'deploy.yml',
  'accepted-findings.ts',
  'accepted-problems.ts',
  'function-cases.ts',
  'on-this-machine/',
];

test('CONTRIBUTING.md names files and folders that exist', () => {
  const named = [...paths, ...files].filter((path) => !withoutFolder.includes(path));
  expect(named.length).toBeGreaterThan(90);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('CONTRIBUTING.md names scripts that exist', () => {
  const named = [...page.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

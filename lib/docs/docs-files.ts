import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { BuiltFiles } from './built-files';
import { docsFolder, hashOfInputs } from './docs-build';

const docs = join(__dirname, '../../docs');

/** What the deployment adds, with its addresses (lib/docs/docs-site.ts). */
const documents = ['asyncapi.json', 'openapi.json'];

/** The two parts of the site: `assets/` has files whose names change with their content, `pages/` all others. */
export const docsParts = ['assets', 'pages'] as const;

export type DocsPart = (typeof docsParts)[number];

/** A part of the site, to be deployed. */
export const docsFiles = (part: DocsPart): BuiltFiles => ({
  hash: createHash('sha256').update(`${hashOfInputs()} ${part}`).digest('hex'),
  build: () => docsPartIn(docsFolder(), part),
});

/** Folder of a part of a built site. @throws Error when the site has other pages than the template */
export function docsPartIn(site: string, part: DocsPart): string {
  const folder = join(site, part);
  if (part === 'pages') {
    const built = [...filesBelow(folder), ...documents].sort();
    const expected = docsPages();
    const different = [...built, ...expected].filter((file) => !built.includes(file) || !expected.includes(file));
    if (different.length > 0)
      throw new Error(`The docs site and lib/docs/docs-files.ts differ: ${different.join(', ')}`);
  }
  return folder;
}

/** Files of `pages/`, as `docs/site/build.ts` makes them of the sources, and the documents of the deployment. */
export function docsPages(): string[] {
  const sources = ['site', 'guides'].flatMap((folder) =>
    readdirSync(join(docs, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md') && !file.startsWith('.'))
      .map((file) => (folder === 'site' ? file : `guides/${file}`)),
  );
  const asWritten = sources.filter((file) => file.startsWith('guides/') && file !== 'guides/index.md');
  const others = [
    'hashmap.json',
    'licences.txt',
    'llms.txt',
    'not-found.css',
    'not-found.js',
    'postman-collection.json',
    'vp-icons.css',
  ];
  return [...sources.map((file) => file.replace(/md$/, 'html')), ...asWritten, ...others, ...documents].sort();
}

/** All files below a folder, relative to it. */
const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));

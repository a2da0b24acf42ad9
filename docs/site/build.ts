import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postmanCollection } from '../postman/collection';
import { existingGuides, guidesFolder } from './guides';
import { licences } from './licences';
import { llmsText } from './llms';
import { replaceNotFound } from './not-found';
import { moveInlineScripts } from './inline-scripts';

/** Folder of this file. The app runs from the folder of the project. */
const source = join(process.cwd(), 'docs/site');

/**
 * Builds the docs site: guides by VitePress, the reference of both documents by Scalar in it. Needs no network.
 * @param folder output: `assets/` has files whose names change with their content, `pages/` all others; both are below
 *   `/docs/` on the site. The deployment adds the documents that the reference shows.
 */
export async function buildSite(folder: string): Promise<void> {
  const pages = join(folder, 'pages');
  const assets = join(folder, 'assets');
  rmSync(folder, { recursive: true, force: true });
  // An ES module, which CommonJS can import only dynamically.
  const vitepress = await import('vitepress');
  await vitepress.build(source, { outDir: pages });
  renameSync(join(pages, 'assets'), assets);

  moveInlineScripts(pages, assets);
  replaceNotFound(pages);
  writeFileSync(join(pages, 'postman-collection.json'), JSON.stringify(await postmanCollection(), null, 2));
  // For readers that are programs: each guide as it is written, and a list of everything.
  for (const { slug } of existingGuides())
    cpSync(join(guidesFolder, `${slug}.md`), join(pages, 'guides', `${slug}.md`));
  writeFileSync(join(pages, 'llms.txt'), llmsText());
  writeFileSync(join(pages, 'licences.txt'), licences());
}

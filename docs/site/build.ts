import { build as bundle } from 'esbuild';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { existingGuides, guidesFolder } from './guides';
import { licences } from './licences';
import { llmsText } from './llms';
import { scalarBundle } from './scalar-bundle';

/** Folder of this file. The app runs from the folder of the project. */
const source = join(process.cwd(), 'docs/site');
const documents = join(process.cwd(), 'docs/api');

const references = [
  {
    name: 'rest',
    title: 'REST API',
    description: 'Every endpoint with its fields, replies and refusals.',
    document: 'openapi.json',
  },
  {
    name: 'channels',
    title: 'Channels',
    description: 'Every channel with its messages, over MQTTS and WSS.',
    document: 'asyncapi.json',
  },
];

/**
 * Builds the docs site: guides by VitePress, the reference of both documents by Scalar. Needs no network.
 * @param folder output: `assets/` has files whose names change with their content, `pages/` all others; both are below
 *   `/docs/` on the site
 */
export async function buildSite(folder: string): Promise<void> {
  const pages = join(folder, 'pages');
  const assets = join(folder, 'assets');
  rmSync(folder, { recursive: true, force: true });
  // An ES module, which CommonJS can import only dynamically.
  const vitepress = await import('vitepress');
  await vitepress.build(source, { outDir: pages });
  renameSync(join(pages, 'assets'), assets);

  const inAssets = (name: string, content: string) => {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 8);
    const hashed = `${basename(name, extname(name))}.${hash}${extname(name)}`;
    writeFileSync(join(assets, hashed), content);
    return `/docs/assets/${hashed}`;
  };
  const scalar = inAssets('scalar.js', await scalarBundle());
  const script = inAssets('reference.js', await referenceScript());
  const style = inAssets('reference.css', readFileSync(join(source, 'reference/reference.css'), 'utf8'));
  const template = readFileSync(join(source, 'reference/page.html'), 'utf8');
  mkdirSync(join(pages, 'reference'));
  for (const { name, title, description, document } of references) {
    const values: Record<string, string> = {
      title,
      description,
      document: `/docs/${document}`,
      scalar,
      script,
      style,
      currentRest: name === 'rest' ? ' aria-current="page"' : '',
      currentChannels: name === 'channels' ? ' aria-current="page"' : '',
    };
    const html = template.replace(/\{\{(\w+)\}\}/g, (_, key: string) => values[key] ?? '');
    writeFileSync(join(pages, 'reference', `${name}.html`), html);
    cpSync(join(documents, document), join(pages, document));
  }
  // For readers that are programs: each guide as it is written, and a list of everything.
  for (const { slug } of existingGuides())
    cpSync(join(guidesFolder, `${slug}.md`), join(pages, 'guides', `${slug}.md`));
  writeFileSync(join(pages, 'llms.txt'), llmsText());
  writeFileSync(join(pages, 'licences.txt'), licences());
}

/** The script of the reference pages, minified. */
async function referenceScript(): Promise<string> {
  const { outputFiles } = await bundle({
    entryPoints: [join(source, 'reference/reference.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    define: { colours: JSON.stringify(readFileSync(join(source, 'reference/colours.css'), 'utf8')) },
  });
  return outputFiles[0]?.text ?? '';
}

import { cpSync, renameSync, rmSync, writeFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { postmanCollection } from '../postman/collection';
import { existingGuides, guidesFolder } from './guides';
import { createHash } from 'node:crypto';

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

const INLINE = /<script id="([\w-]+)">([^]*?)<\/script>/g;

/**
 * Moves the inline scripts of all pages into files, which still run before the page is shown. So the site's policy
 * allows no inline script, and is the same whatever VitePress writes.
 */
export function moveInlineScripts(pages: string, assets: string): void {
  for (const name of readdirSync(pages, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.html')) continue;
    const html = readFileSync(join(pages, name), 'utf8');
    const moved = html.replaceAll(INLINE, (_script, id: string, code: string) => {
      const file = `${id}.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`;
      writeFileSync(join(assets, file), code);
      return `<script src="/docs/assets/${file}"></script>`;
    });
    if (/<script(?![^>]*\ssrc=)/.test(moved)) throw new Error(`${name} has an inline script without an id`);
    writeFileSync(join(pages, name), moved);
  }
}

/**
 * Replaces VitePress's page for missing ones by what it loads, as a script and a style sheet whose names never change:
 * the page itself is in the template (lib/rest/docs-paths.ts), which is made before the site.
 */
export function replaceNotFound(pages: string): void {
  const file = join(pages, '404.html');
  const html = readFileSync(file, 'utf8');
  const addresses = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, address = '']) => JSON.stringify(address));
  const scripts = [/<script src="([^"]+)"/g, /<script type="module" src="([^"]+)"/g].flatMap(addresses);
  const styles = addresses(/<link rel="[^"]*stylesheet" href="([^"]+)"/g);
  if (scripts.length === 0 || styles.length === 0) throw new Error('404.html loads no script or no style sheet');
  writeFileSync(join(pages, 'not-found.js'), scripts.map((address) => `import ${address};\n`).join(''));
  writeFileSync(join(pages, 'not-found.css'), styles.map((address) => `@import ${address};\n`).join(''));
  rmSync(file);
}

/** Packages whose code is in the site; Scalar's bundle names those that it contains itself. */
const packages = ['@scalar/fastify-api-reference', '@vueuse/core', 'mark.js', 'minisearch', 'vitepress', 'vue'];

/** The licences of these packages, which must be distributed with them. @throws Error for a package without one */
function licences(): string {
  const texts = packages.map((name) => {
    const folder = join(process.cwd(), 'node_modules', name);
    const file = readdirSync(folder).find((one) => /^licen[cs]e(\.|$)/i.test(one));
    if (file === undefined) throw new Error(`${name} has no licence file, and is in the docs site`);
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** `llms.txt` (llmstxt.org): what programs that read for a model find here, as Markdown and JSON. */
function llmsText(): string {
  const guides = existingGuides().map(({ slug, title, description }) =>
    item(title, `/docs/guides/${slug}.md`, description),
  );
  return [
    '# Drone Mission Integration API',
    '',
    '> REST API, MQTTS topics and WebSockets with which a partner of a drone platform creates jobs (drone missions), follows ' +
      'them live, publishes and receives telemetry, and shares the view of a drone. OAuth 2.0 client credentials and an API key.',
    '',
    '## Reference',
    '',
    item(
      'REST API',
      '/docs/openapi.json',
      'OpenAPI 3.1: every endpoint with its fields, replies, refusals and examples.',
    ),
    item(
      'Postman collection',
      '/docs/postman-collection.json',
      'The same endpoints as requests, which get their tokens by themselves.',
    ),
    item('Channels', '/docs/asyncapi.json', 'AsyncAPI 3: every topic and socket with its messages and examples.'),
    '',
    '## Guides',
    '',
    ...guides,
    '',
  ].join('\n');
}

const item = (title: string, path: string, description: string) =>
  `- [${title}](${path})${description && `: ${description}`}`;

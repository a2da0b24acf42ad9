import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, postcssIsolateStyles } from 'vitepress';
import { existingGuides } from '../guides';
import { fastify } from 'fastify';

const base = '/docs/';
const scalar = await scalarBundle();
const scalarFile = `assets/scalar.${createHash('sha256').update(scalar).digest('hex').slice(0, 8)}.js`;

/** Sign of the share page. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%230d7a8a'/%3E%3Cpath d='M16 6l7 19-7-4-7 4z' fill='%23fff'/%3E%3C/svg%3E";

/** What is read and written of markdown-it's tokens. */
interface Token {
  readonly type: string;
  readonly content: string;
  readonly children: readonly Token[] | null;
  attrSet(name: string, value: string): void;
}

/** Gives each cell of a table the header of its column, for screens too narrow for a table. */
function nameColumns(tokens: readonly Token[]): void {
  let headers: string[] = [];
  let column = 0;
  tokens.forEach(({ type }, index) => {
    if (type === 'thead_open') headers = [];
    if (type === 'tr_open') column = 0;
    if (type === 'th_open') headers.push(textOf(tokens[index + 1]));
    const header = type === 'td_open' ? headers[column++] : undefined;
    if (header) tokens[index]?.attrSet('data-column', header);
  });
}

const textOf = (inline: Token | undefined) => (inline?.children ?? []).map(({ content }) => content).join('');

/** The start page, the guides, and the reference, which Scalar renders in the browser. */
export default defineConfig({
  title: 'Drone Mission Integration API',
  description: 'How to create and control drone missions, follow them live, and share them.',
  lang: 'en',
  base,
  // The folder docs/, without what is for operators.
  srcDir: '..',
  srcExclude: ['*.md', 'api/**', 'decisions/**', 'images/**', 'runbooks/**', 'site/!(index).md'],
  rewrites: { 'site/:path*': ':path*' },
  cleanUrls: true,
  // No inline script with all page names, which would change the content security policy with every guide.
  metaChunk: true,
  head: [['link', { rel: 'icon', href: icon }]],
  // What the reference needs beside the scripts of every page, which would ask for it late.
  transformHead: ({ pageData }) =>
    typeof pageData.frontmatter['document'] === 'string'
      ? [
          ['link', { rel: 'preload', as: 'script', href: base + scalarFile }],
          ['link', { rel: 'preload', as: 'fetch', href: base + pageData.frontmatter['document'], crossorigin: '' }],
        ]
      : [],
  buildEnd: ({ outDir }) => writeFileSync(join(outDir, scalarFile), scalar),
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // The changelog of the repository links to files that are not on the site: their names stay, without a link.
    config: (markdown) => {
      markdown.core.ruler.push('repository-links', ({ tokens }) => {
        for (const link of tokens.flatMap(({ children }) => children ?? [])) {
          if (link.type === 'link_open' && /^(\.\/)?(clients|docs|local|packages)\//.test(link.attrGet('href') ?? ''))
            link.attrs = [];
        }
      });
      markdown.core.ruler.push('column-names', ({ tokens }) => nameColumns(tokens));
    },
  },
  themeConfig: {
    // Short enough for a phone.
    siteTitle: 'Drone Missions',
    logo: icon,
    nav: [
      { text: 'Guides', link: '/guides/quick-start', activeMatch: '/guides/' },
      { text: 'REST API', link: '/reference/rest' },
      { text: 'Channels', link: '/reference/channels' },
    ],
    sidebar: [
      { text: 'Guides', items: existingGuides().map(({ title, slug }) => ({ text: title, link: `/guides/${slug}` })) },
      {
        text: 'Reference',
        items: [
          { text: 'REST API', link: '/reference/rest' },
          { text: 'Channels', link: '/reference/channels' },
        ],
      },
    ],
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { detailedView: true } },
    docFooter: { prev: 'Previous', next: 'Next' },
    notFound: {
      title: 'Page not found',
      quote: 'The guides and the reference are in the menu.',
      linkText: 'Go to the start page',
      linkLabel: 'Go to the start page',
    },
  },
  vite: {
    logLevel: 'error',
    define: { SCALAR: JSON.stringify(base + scalarFile) },
    // The theme resets no element of Scalar, which is `vp-raw`.
    css: { postcss: { plugins: [postcssIsolateStyles()] } },
  },
});

/**
 * Scalar's bundle for browsers, which defines `Scalar`. It comes from the plugin that serves it, whose package consists of the
 * bundle: @scalar/api-reference would install 250 MB of packages that the bundle already contains.
 */
async function scalarBundle(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const server = fastify();
  await server.register(plugin, { routePrefix: '/reference', configuration: { url: 'unused' } });
  const { statusCode, body } = await server.inject('/reference/js/scalar.js');
  await server.close();
  if (statusCode !== 200) throw new Error(`Scalar's plugin answers ${statusCode} to the request for its bundle`);
  return body;
}

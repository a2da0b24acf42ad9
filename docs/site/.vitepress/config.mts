import { defineConfig } from 'vitepress';
import { existingGuides } from '../guides';

/** The guides and the start page; `build.ts` adds the reference, which Scalar renders in pages of its own. */
export default defineConfig({
  title: 'Drone Mission Integration API',
  description: 'How to create and control drone missions, follow them live, and share them.',
  lang: 'en',
  base: '/docs/',
  // The folder docs/, without what is for operators.
  srcDir: '..',
  srcExclude: ['*.md', 'api/**', 'decisions/**', 'images/**', 'runbooks/**', 'site/!(index).md'],
  rewrites: { 'site/index.md': 'index.md' },
  cleanUrls: true,
  // No inline script with all page names, which would change the content security policy with every guide.
  metaChunk: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
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
    },
  },
  themeConfig: {
    // Short enough for a phone.
    siteTitle: 'Drone Missions',
    nav: [
      { text: 'Guides', link: '/guides/quick-start', activeMatch: '/guides/' },
      { text: 'REST API', link: '/reference/rest', target: '_self' },
      { text: 'Channels', link: '/reference/channels', target: '_self' },
    ],
    sidebar: [
      { text: 'Guides', items: existingGuides().map(({ title, slug }) => ({ text: title, link: `/guides/${slug}` })) },
      {
        text: 'Reference',
        items: [
          { text: 'REST API', link: '/reference/rest', target: '_self' },
          { text: 'Channels', link: '/reference/channels', target: '_self' },
        ],
      },
    ],
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
  vite: { logLevel: 'error' },
});

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { axeFindings } from './browser';
import { givenDocsSite, sizes, tooWide } from './docs-site';

const paths = {
  'the start page': '/docs/',
  'the reference of the REST API': '/docs/reference/rest',
  'the reference of the channels': '/docs/reference/channels',
  'that there is no such page': '/docs/guides/none',
} as const;
const guides = readdirSync(join(__dirname, '../../docs/guides')).map((file) => file.replace(/(index)?\.md$/, ''));

/** `SCREENSHOTS=<folder>` keeps a picture of each page. */
const pictures = process.env['SCREENSHOTS'];

describe('The docs site, without errors, other hosts, sideways scrolling or serious axe findings,', () => {
  const { open, unexpectedErrors, elsewhere } = givenDocsSite();

  test.each(Object.entries(paths))('shows %s, wide and narrow, light and dark', async (name, path) => {
    const page = await open(path, { viewport: sizes.wide, colorScheme: 'light' });
    for (const colorScheme of ['light', 'dark'] as const)
      for (const [size, viewport] of Object.entries(sizes)) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        await page.waitForLoadState('networkidle');
        if (pictures)
          await page.screenshot({ path: join(pictures, `${name.replaceAll(' ', '-')}-${size}-${colorScheme}.png`) });
        expect(await axeFindings(page)).toEqual([]);
        expect(await tooWide(page, viewport.width)).toEqual([]);
      }
    expect(unexpectedErrors()).toEqual([]);
    expect(elsewhere()).toEqual([]);
  });

  test.each(guides)('shows the guide /%s, wide and light, then narrow and dark', async (guide) => {
    const page = await open(`/docs/guides/${guide}`, { viewport: sizes.wide, colorScheme: 'light' });
    expect(await axeFindings(page)).toEqual([]);
    expect(await tooWide(page, sizes.wide.width)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize(sizes.narrow);
    expect(await axeFindings(page)).toEqual([]);
    expect(await tooWide(page, sizes.narrow.width)).toEqual([]);
    expect(unexpectedErrors()).toEqual([]);
    expect(elsewhere()).toEqual([]);
  });
});

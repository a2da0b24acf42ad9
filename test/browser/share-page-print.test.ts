import { phone, waitForText } from './browser';
import { openInState } from './share-page-states';
import { sharePageForAllTests } from './share-page-fixture';

describe('The printed share page', () => {
  const site = sharePageForAllTests();

  test.each([
    ['desktop', 'light', {}],
    ['desktop', 'dark', {}],
    ['phone', 'dark', phone],
  ] as const)('is one page with map, figures and time, from a %s in %s colours', async (_, colorScheme, options) => {
    const { page } = await site.newPage({ ...options, colorScheme });
    await openInState(page, site.url, site.socket, 'live');
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    await page.emulateMedia({ media: 'print' });
    for (const shown of ['#map', '#device', '#height', '#measured-at', '#measured-at-utc', '#altitude-chart'])
      expect([shown, await page.locator(shown).isVisible()]).toEqual([shown, true]);
    expect(await page.locator(':is(button, select, .leaflet-control-zoom):visible').count()).toBe(0);
    const ground = await page.evaluate(`getComputedStyle(document.querySelector('.figure')).backgroundColor`);
    expect(ground).toBe('rgb(255, 255, 255)');
    await page.setViewportSize({ width: 703, height: 1030 });
    for (const format of ['A4', 'Letter']) {
      const pdf = await page.pdf({ format, printBackground: true, preferCSSPageSize: false });
      expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)).toHaveLength(1);
    }
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    await page.emulateMedia({ media: 'screen' });
    await waitForText(page, 'connection', 'live');
    expect(await page.locator('#follow').isVisible()).toBe(true);
  });
});

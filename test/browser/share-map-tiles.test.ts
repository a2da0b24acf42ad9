import type { Page } from 'playwright-core';
import { TILES, waitForText } from './browser';
import { flight } from './flight';
import { sharePageForAllTests } from './share-page-fixture';

/** A transparent PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** Marks the page as soon as the tiles are shown again. */
const noteAttempts = (page: Page) =>
  page.evaluate(`new MutationObserver(() => {
    if (document.querySelector('.leaflet-tile-pane .map-tiles')) document.body.dataset.attempted = '';
  }).observe(document.querySelector('.leaflet-tile-pane'), { childList: true })`);

describe('The map of the share page', () => {
  const site = sharePageForAllTests();
  const { socket } = site;

  /** Opens a share of a drone in flight, with a tile server that answers or not, and a clock that the test sets. */
  async function open(code: string, answers: boolean) {
    socket.share(code);
    const { page, errors } = await site.newPage();
    await page.clock.install();
    await page.unroute(TILES);
    await page.route(TILES, (route) =>
      answers ? route.fulfill({ contentType: 'image/png', body: PIXEL }) : route.abort(),
    );
    await page.goto(`${site.url}/share/${code}`);
    await waitForText(page, 'connection', 'live');
    socket.publish(code, flight(60));
    await page.clock.runFor(1000);
    return { page, errors };
  }

  test('says once that there are no tiles, and goes on with the grid', async () => {
    const { page, errors } = await open('share-without-tiles', false);
    const note = page.locator('.map-note');
    await note.waitFor();
    expect(await page.locator('.grid-tile').count()).toBeGreaterThan(0);
    expect(await page.locator('.leaflet-tile-pane .map-tiles').count()).toBe(0);
    await page.clock.runFor(11_000);
    await note.waitFor({ state: 'detached' });
    await noteAttempts(page);
    await page.clock.fastForward(61_000);
    await page.locator('body[data-attempted]').waitFor();
    await page.locator('.leaflet-tile-pane .map-tiles').waitFor({ state: 'detached' });
    expect(await note.count()).toBe(0);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('credits the source of its tiles with a link, and has no note', async () => {
    const { page } = await open('share-with-tiles', true);
    await page.locator('.leaflet-tile-loaded.leaflet-tile').first().waitFor({ state: 'attached' });
    const credit = page.locator('.leaflet-control-attribution a', { hasText: 'OpenStreetMap' });
    expect(await credit.getAttribute('href')).toBe('https://www.openstreetmap.org/copyright');
    expect(await page.locator('.map-note').count()).toBe(0);
    await page.context().close();
  });
});

import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { launchBrowser, openPage, phone, waitForText } from './browser';
import { createFakeShareSocket } from './fake-share-socket';
import { flight } from './flight';
import { servePage, type ServedPage } from './served-page';

/** `SCREENSHOTS=docs/images npm run test:browser -- screenshots` updates the README's images. */
const folder = process.env['SCREENSHOTS'] ?? mkdtempSync(join(tmpdir(), 'screenshots-'));

const SAMPLES = 900;
const EVERY_MS = 200;

describe('A screenshot of the share page', () => {
  const socket = createFakeShareSocket();
  let served: ServedPage;
  let browser: Browser;

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    [served, browser] = await Promise.all([servePage({ socket: socket.origin }), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await served.stop();
  });

  test.each<[string, BrowserContextOptions]>([
    ['share-page-desktop', { colorScheme: 'light' }],
    ['share-page-phone', { ...phone, colorScheme: 'dark' }],
  ])('%s is small enough for the README', async (name, options) => {
    socket.share('share-picture', { permissions: ['view', 'control'] });
    const { page } = await openPage(browser, { ...options, timezoneId: 'UTC' });
    await page.goto(`${served.url}/share/share-picture`);
    await waitForText(page, 'connection', 'live');
    const began = Date.now() - SAMPLES * EVERY_MS;
    for (let sample = 1; sample <= SAMPLES; sample++) {
      const timestamp = new Date(began + sample * EVERY_MS).toISOString();
      socket.publish('share-picture', { timestamp, ...flight((sample * EVERY_MS) / 1000) });
    }
    await waitForText(page, 'battery', '77 %');
    // Until the charts are drawn and the map stops moving.
    await page.waitForTimeout(1200);
    const picture = await page.screenshot({ path: join(folder, `${name}.png`) });
    expect(picture.length).toBeGreaterThan(10_000);
    expect(picture.length).toBeLessThan(200_000);
    await page.context().close();
  });
});

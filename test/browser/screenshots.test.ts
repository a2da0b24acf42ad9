import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { phone, waitForText } from './browser';
import { sharePageForAllTests, flight, knownFlight, openInState, pageStates, report } from './share-page-fixture';

/** `npm run pictures` sets it to update the images of README and guides. */
const folder = process.env['SCREENSHOTS'] ?? mkdtempSync(join(tmpdir(), 'screenshots-'));

const SAMPLES = 900;
const EVERY_MS = 200;

describe('A screenshot of the share page', () => {
  const site = sharePageForAllTests();
  const { socket } = site;

  beforeAll(() => {
    mkdirSync(join(folder, 'share-page'), { recursive: true });
  });

  /** Takes the picture once the charts are drawn and the map stands still. @returns its size in bytes */
  async function take(page: Page, name: string): Promise<number> {
    await page.waitForTimeout(1200);
    const picture = await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.context().close();
    return picture.length;
  }

  test.each<[string, BrowserContextOptions]>([
    ['share-page-desktop', { colorScheme: 'light' }],
    ['share-page-phone', { ...phone, colorScheme: 'dark' }],
  ])('%s is small enough for the README', async (name, options) => {
    socket.share('share-picture', {
      permissions: ['view', 'control'],
      flight: () => ({ ...knownFlight(), track: [] }),
    });
    const { page } = await site.newPage({ ...options, timezoneId: 'UTC' });
    await page.goto(`${site.url}/share/share-picture`);
    await waitForText(page, 'connection', 'live');
    const began = Date.now() - SAMPLES * EVERY_MS;
    for (let sample = 1; sample <= SAMPLES; sample++) {
      const timestamp = new Date(began + sample * EVERY_MS).toISOString();
      socket.publish('share-picture', { timestamp, ...flight((sample * EVERY_MS) / 1000) });
    }
    await waitForText(page, 'battery', '77 %');
    const bytes = await take(page, name);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(200_000);
  });

  const looks: readonly [string, BrowserContextOptions][] = [
    ['desktop', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['phone', { ...phone, deviceScaleFactor: 1, colorScheme: 'light' }],
  ];
  const pictures = pageStates.flatMap((state) => looks.map(([look, options]) => [state, look, options] as const));

  test.each(pictures)('that is %s, %s, is small enough for a guide', async (state, look, options) => {
    const { page } = await site.newPage({ ...options, timezoneId: 'UTC' });
    await openInState(page, site.url, socket, state);
    if (state === 'live') report(socket);
    const bytes = await take(page, `share-page/${state}-${look}`);
    expect(bytes).toBeGreaterThan(3000);
    expect(bytes).toBeLessThan(150_000);
  });
});

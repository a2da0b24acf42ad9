import type { Page } from 'playwright-core';
import { waitForText } from './browser';
import { sharePageForAllTests, flight } from './share-page-fixture';

/** Name of the focused element: its label or its text. */
const focused = 'document.activeElement.ariaLabel ?? document.activeElement.textContent.trim()';

describe('With the keyboard alone, a viewer of the share page', () => {
  const site = sharePageForAllTests();
  const { socket } = site;
  let page: Page;

  beforeEach(async () => {
    const takeOff = { timestamp: new Date(Date.now() - 60_000).toISOString(), altitude: 408 };
    socket.share('share-keys', {
      shareType: 'STREAM',
      permissions: ['view', 'control'],
      playback: () => ({ playback: { url: `${site.url}/none.m3u8`, expiresAt: new Date().toISOString() } }),
      flight: () => ({ deviceName: 'Kestrel 1', takeOff, track: [] }),
    });
    ({ page } = await site.newPage());
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${site.url}/share/share-keys`);
    await waitForText(page, 'connection', 'live');
    socket.publish('share-keys', flight(60));
    await waitForText(page, 'altitude', '482.2 m');
  });

  /** Presses Tab until an element with this name has the focus. */
  async function tabTo(name: string): Promise<void> {
    const seen: string[] = [];
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab');
      seen.push(await page.evaluate<string>(focused));
      if (seen.at(-1) === name) return;
    }
    throw new Error(`${name} has not got the focus, but ${seen.join(', ')}`);
  }

  test('finds the height after two keys', async () => {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(focused)).toBe('Skip to the figures');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('figures');
    await waitForText(page, 'height', '74.2 m');
  });

  test('pans the map, and follows the drone again', async () => {
    const follow = page.locator('#follow');
    expect(await follow.textContent()).toBe('Following');
    await tabTo('Map of the drone and its track. Arrow keys move it, plus and minus zoom.');
    await page.keyboard.press('ArrowLeft');
    expect(await follow.textContent()).toBe('Follow drone');
    await tabTo('Follow drone');
    await page.keyboard.press('Enter');
    expect(await follow.textContent()).toBe('Following');
  });

  test('swaps map and video', async () => {
    const isLarger = async () => {
      const [map, video] = await Promise.all([
        page.locator('#map').boundingBox(),
        page.locator('#screen').boundingBox(),
      ]);
      return (map?.width ?? 0) > (video?.width ?? 0);
    };
    expect(await isLarger()).toBe(false);
    await tabTo('Swap map and video');
    await page.keyboard.press('Enter');
    expect(await isLarger()).toBe(true);
    await page.keyboard.press('Space');
    expect(await isLarger()).toBe(false);
  });

  test('opens and leaves full screen', async () => {
    await tabTo('Map in full screen');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Leave full screen' }).waitFor();
    expect(await page.evaluate('document.fullscreenElement.contains(document.getElementById("map"))')).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Map in full screen' }).waitFor();
    expect(await page.evaluate('document.fullscreenElement')).toBe(null);
  });

  test('copies the position', async () => {
    await tabTo('Copy');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^47\.37\d{3}, 8\.54\d{3}$/);
  });

  test('sends a command, and one that ends the flight with two presses', async () => {
    await tabTo('Pause');
    await page.keyboard.press('Enter');
    await page.getByText('On its way', { exact: true }).waitFor();
    expect(socket.received.at(-1)).toMatchObject({ action: 'control', command: { name: 'PAUSE' } });
    await tabTo('Return home');
    await page.keyboard.press('Space');
    await page.getByText('Press again to confirm', { exact: true }).waitFor();
    expect(socket.received.at(-1)).toMatchObject({ command: { name: 'PAUSE' } });
    // A second press at once is a slip of the finger.
    await page.waitForTimeout(600);
    await page.keyboard.press('Space');
    await page.getByText('On its way', { exact: true }).nth(1).waitFor();
    expect(socket.received.at(-1)).toMatchObject({ action: 'control', command: { name: 'RETURN_HOME' } });
  });

  test('reads the time in UTC', async () => {
    const time = page.locator('.with-tip');
    expect(await time.locator('.tip').isVisible()).toBe(false);
    await tabTo((await time.textContent())?.trim() ?? '');
    expect(await time.locator('.tip').isVisible()).toBe(true);
    expect(await time.locator('.tip').textContent()).toMatch(/\d\d:\d\d:\d\d UTC$/);
  });

  test('chooses units', async () => {
    await tabTo('Stop recording');
    for (let presses = 0; (await page.evaluate('document.activeElement.id')) !== 'units' && presses < 9; presses++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('i');
    await waitForText(page, 'altitude', '1582 ft');
  });
});

import type { Page } from 'playwright-core';
import { openPage, waitForText, axeFindings } from './browser';
import { sharePageForAllTests, flight, openInState, pageStates, report } from './share-page-fixture';

describe('The share page', () => {
  const site = sharePageForAllTests();
  const { socket } = site;
  let page: Page;

  const open = async (code: string, options?: Parameters<typeof openPage>[1]) => {
    ({ page } = await site.newPage(options));
    await page.goto(`${site.url}/share/${code}`);
    return page;
  };
  const openFlying = async (code: string, options?: Parameters<typeof openPage>[1]) => {
    socket.share(code, { permissions: ['view', 'control'] });
    await open(code, options);
    await waitForText(page, 'connection', 'live');
    socket.publish(code, flight(60));
    await waitForText(page, 'altitude', '482.2 m');
    return page;
  };

  test('announces the connection state to screen readers, and not every sample', async () => {
    await openFlying('share-reader');
    const announcer = page.locator('#announcer');
    expect(await announcer.textContent()).toBe('Connected.');
    for (let sample = 0; sample < 20; sample++) socket.publish('share-reader', flight(60 + sample));
    await waitForText(page, 'altitude', '483.6 m');
    expect(await announcer.textContent()).toBe('Connected.');
    socket.end('share-reader', 'EXPIRED');
    await waitForText(page, 'connection', 'ended');
    expect(await announcer.textContent()).toBe('This share has ended. It has expired. Ask its sender for a new link.');
  });

  test('loads less than 100 kB, compressed', async () => {
    let bytes = 0;
    await open('share-none');
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.reload();
    await waitForText(page, 'connection', 'not-found');
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(100_000);
  });

  describe('The served files', () => {
    beforeEach(() => open('share-none'));
    const get = (path: string, init?: RequestInit) => fetch(`${site.url}${path}`, init);

    test('have headers that hide the URL and block foreign content', async () => {
      const { status, headers } = await get('/share/share-any');
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('text/html');
      expect(headers.get('content-security-policy')?.split('; ')).toEqual([
        `default-src 'none'`,
        `script-src 'self'`,
        `style-src 'self'`,
        `img-src 'self' data: https://tile.openstreetmap.org`,
        `connect-src 'self' http://127.0.0.1:*`,
        'media-src blob: http://127.0.0.1:*',
        `frame-ancestors 'none'`,
        `base-uri 'none'`,
        `form-action 'none'`,
      ]);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
      expect(headers.get('permissions-policy')).toContain('geolocation=()');
      expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
    });

    test('are cached for a year, but the page itself never is', async () => {
      const answer = await get('/share/share-any');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const [script = ''] = /\/share\/assets\/main-\w+\.js/.exec(await answer.text()) ?? [];
      const { status, headers } = await get(script, { headers: { 'accept-encoding': 'gzip, br' } });
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('text/javascript');
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('content-encoding')).toBe('br');
    });

    test.each(['/share/', '/share/a/b', '/share/..%2Fsecret', '/share/index.html'])(
      'are not found at %s',
      async (path) => {
        expect((await get(path)).status).toBe(404);
      },
    );

    test('answer 403 for an unknown asset', async () => {
      expect((await get('/share/assets/other.js')).status).toBe(403);
    });
  });
});

describe('The share page', () => {
  const sizes = [
    { width: 360, height: 740 },
    { width: 740, height: 360 },
    { width: 1280, height: 800 },
    { width: 1920, height: 1080 },
  ];

  /** Buttons and fields that a finger might miss, and links but those in a line of text. */
  const smallTargets = `[...document.querySelectorAll('button, select, .leaflet-bar a')]
  .map((one) => ({ name: one.ariaLabel ?? one.textContent ?? one.id, ...one.getBoundingClientRect().toJSON() }))
  .filter(({ width, height }) => width > 0 && (width < 44 || height < 44))`;

  const site = sharePageForAllTests();
  const { socket } = site;
  let page: Page;

  test.each(pageStates)(
    'when it is %s, has no axe finding, no horizontal scrolling and no small target in any size and colours',
    async (state) => {
      ({ page } = await site.newPage({ reducedMotion: 'reduce' }));
      await openInState(page, site.url, socket, state);
      for (const size of sizes) {
        await page.setViewportSize(size);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width);
        expect(await page.evaluate(smallTargets)).toEqual([]);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          if (state === 'live') report(socket);
          expect({ size, colorScheme, findings: await axeFindings(page, 'any') }).toEqual({
            size,
            colorScheme,
            findings: [],
          });
        }
      }
    },
  );
});

describe('With the keyboard alone, a viewer of the share page', () => {
  /** Name of the focused element: its label or its text. */
  const focused = 'document.activeElement.ariaLabel ?? document.activeElement.textContent.trim()';

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

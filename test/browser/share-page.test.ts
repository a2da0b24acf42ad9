import type { Page } from 'playwright-core';
import { waitForText, TILES, type MonitoredPage, phone } from './browser';
import { sharePageForAllTests, flight, openInState } from './share-page-fixture';

describe('The share page', () => {
  const site = sharePageForAllTests();
  const { socket } = site;
  let monitored: MonitoredPage;

  const open = async (code: string): Promise<Page> => {
    monitored = await site.newPage();
    await monitored.page.goto(`${site.url}/share/${code}`);
    return monitored.page;
  };
  const notice = async (page: Page) => (await page.locator('#notice p').textContent())?.trim();
  const expectNoErrors = () => expect(monitored.errors).toEqual([]);

  test('shows the device’s samples as they arrive', async () => {
    socket.share('share-live');
    const page = await open('share-live');
    await waitForText(page, 'connection', 'live');
    socket.publish('share-live', flight(60));
    await waitForText(page, 'altitude', '482.2 m');
    socket.publish('share-live', {
      navigation: {
        position: { type: 'Point', coordinates: [8.5417, 47.3769, 512.34] },
        velocity: { groundSpeed: 12.5, verticalSpeed: -0.5 },
        orientation: { heading: 270.5 },
      },
      battery: { percent: 76.4 },
      droneState: 'RETURNING',
      dockState: 'TASK_INPROGRESS',
    });
    await waitForText(page, 'altitude', '512.3 m');
    await waitForText(page, 'speed', '12.5 m/s');
    await waitForText(page, 'battery', '76 %');
    await waitForText(page, 'viewers', '1 of 10');
    expect(await page.locator('#drone-state').textContent()).toBe('Returning home');
    expect(await page.locator('#dock-state').textContent()).toBe('Task in progress');
    expect(await page.locator('#heading').textContent()).toBe('271° W');
    expect(await page.locator('.drone svg').getAttribute('style')).toContain('rotate(270.5deg)');
    expect(await page.locator('path.track').getAttribute('d')).toMatch(/^M.+L/);
    expectNoErrors();
  });

  test('shows the last known state first, with its age', async () => {
    socket.share('share-snapshot');
    socket.publish('share-snapshot', { ...flight(60), timestamp: new Date(Date.now() - 600_000).toISOString() });
    const page = await open('share-snapshot');
    await waitForText(page, 'altitude', '482.2 m');
    await page.locator('#pill', { hasText: '10 min old' }).waitFor();
    expectNoErrors();
  });

  test('works without a sample, and with one that has no figures', async () => {
    socket.share('share-silent');
    const page = await open('share-silent');
    await page.getByText('The drone has not reported yet').waitFor();
    socket.publish('share-silent', { droneState: 'SOMETHING_NEW' });
    await page.getByText('Something new').waitFor();
    await waitForText(page, 'altitude', '– m');
    expectNoErrors();
  });

  test('counts down the remaining time', async () => {
    socket.share('share-short', { expiresIn: 61 });
    const page = await open('share-short');
    await waitForText(page, 'connection', 'live');
    await page.locator('#time-left', { hasText: /^5\d s$/ }).waitFor();
  });

  test.each([
    ['REVOKED', 'Its owner has revoked it. Ask its sender for a new link.'],
    ['EXPIRED', 'It has expired. Ask its sender for a new link.'],
  ] as const)('shows that a share has ended when it is %s, and does not reconnect', async (state, words) => {
    socket.share('share-ending', { permissions: ['view', 'control'] });
    const page = await open('share-ending');
    await waitForText(page, 'connection', 'live');
    socket.publish('share-ending', flight(60));
    await waitForText(page, 'altitude', '482.2 m');
    const before = socket.handshakes.length;
    socket.end('share-ending', state);
    await waitForText(page, 'connection', 'ended');
    expect(await notice(page)).toBe(`This share has ended. ${words}`);
    expect(await page.title()).toBe('This share has ended');
    expect(await page.getByRole('button', { name: 'Pause' }).isDisabled()).toBe(true);
    await page.waitForTimeout(1500);
    expect(socket.handshakes).toHaveLength(before);
    expectNoErrors();
  });

  test('shows that a share does not exist', async () => {
    const page = await open('share-unknown');
    await waitForText(page, 'connection', 'not-found');
    expect(await notice(page)).toContain('There is no such share.');
    expect(await page.locator('#dashboard').isVisible()).toBe(false);
    expectNoErrors();
  });

  test('shows that a share is full, with a button to try again', async () => {
    socket.share('share-full', { maxViewers: 1 });
    const first = await site.newPage();
    await first.page.goto(`${site.url}/share/share-full`);
    await waitForText(first.page, 'connection', 'live');
    const page = await open('share-full');
    await waitForText(page, 'connection', 'full');
    expect(await notice(page)).toContain('All places are taken.');
    await first.page.context().close();
    await page.getByRole('button', { name: 'Try again' }).click();
    await waitForText(page, 'connection', 'live');
    expectNoErrors();
  });

  test('reconnects after the socket has dropped', async () => {
    socket.share('share-drop');
    const page = await open('share-drop');
    await waitForText(page, 'connection', 'live');
    socket.publish('share-drop', flight(60));
    await waitForText(page, 'altitude', '482.2 m');
    socket.down();
    await waitForText(page, 'connection', 'reconnecting');
    expect(await notice(page)).toContain('What you see is not live.');
    socket.up();
    await waitForText(page, 'connection', 'live');
    socket.publish('share-drop', { ...flight(60), battery: { percent: 50 } });
    await waitForText(page, 'battery', '50 %');
  });

  test('shows that a share has ended when it no longer exists at a reconnect', async () => {
    socket.share('share-gone');
    const page = await open('share-gone');
    await waitForText(page, 'connection', 'live');
    socket.down();
    await waitForText(page, 'connection', 'reconnecting');
    socket.end('share-gone', 'REVOKED');
    socket.up();
    await waitForText(page, 'connection', 'ended');
    expect(await notice(page)).toBe(
      'This share has ended. It was revoked or has expired. Ask its sender for a new link.',
    );
  });

  test('connects to its own host and the tile server only, without the share code in a referrer', async () => {
    socket.share('share-secret');
    monitored = await site.newPage();
    const { page, requests } = monitored;
    const referrers: string[] = [];
    page.on('request', (request) => {
      if (TILES.test(request.url())) referrers.push(request.headers()['referer'] ?? '');
    });
    await page.goto(`${site.url}/share/share-secret`);
    await waitForText(page, 'connection', 'live');
    socket.publish('share-secret', flight(60));
    await waitForText(page, 'altitude', '482.2 m');
    await page.locator('.grid-tile').first().waitFor({ state: 'attached' });

    const host = new URL(site.url).host;
    const elsewhere = requests.filter((url) => new URL(url).host !== host);
    expect(elsewhere.length).toBeGreaterThan(0);
    expect(elsewhere.filter((url) => !TILES.test(url))).toEqual([]);
    expect(new Set(referrers.filter((one) => one !== ''))).toEqual(new Set([`${site.url}/`]));
    const naming = requests
      .filter((url) => url.includes('share-secret'))
      .map((url) => url.replace(/^\w+:\/\/[^/]+/, ''));
    expect(naming).toEqual(['/share/share-secret', '/telemetry?shareCode=share-secret']);
    expectNoErrors();
  });
});

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

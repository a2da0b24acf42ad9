import type { Browser, Page } from 'playwright-core';
import { launchBrowser, openPage, shows, TILES, type WatchedPage } from './browser';
import { createFakeShareSocket } from './fake-share-socket';
import { flight } from './flight';
import { servePage, type ServedPage } from './served-page';

describe('The share page', () => {
  const socket = createFakeShareSocket();
  let served: ServedPage;
  let browser: Browser;
  let watched: WatchedPage;

  beforeAll(async () => {
    [served, browser] = await Promise.all([servePage({ socket: socket.origin }), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await served.stop();
  });
  afterEach(async () => {
    socket.up();
    await watched.page.context().close();
  });

  const open = async (code: string): Promise<Page> => {
    watched = await openPage(browser);
    await watched.page.goto(`${served.url}/share/${code}`);
    return watched.page;
  };
  const notice = async (page: Page) => (await page.locator('#notice p').textContent())?.trim();
  const quietly = () => expect(watched.complaints).toEqual([]);

  it('shows the samples of the device as they come', async () => {
    socket.share('share-live');
    const page = await open('share-live');
    await shows(page, 'connection', 'live');
    socket.publish('share-live', flight(60));
    await shows(page, 'altitude', '482.2 m');
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
    await shows(page, 'altitude', '512.3 m');
    await shows(page, 'speed', '12.5 m/s');
    await shows(page, 'battery', '76 %');
    await shows(page, 'viewers', '1 of 10');
    expect(await page.locator('#drone-state').textContent()).toBe('Returning');
    expect(await page.locator('#dock-state').textContent()).toBe('Task in progress');
    expect(await page.locator('#heading').textContent()).toBe('271° W');
    expect(await page.locator('.drone svg').getAttribute('style')).toContain('rotate(270.5deg)');
    expect(await page.locator('path.track').getAttribute('d')).toMatch(/^M.+L/);
    quietly();
  });

  it('shows the last known state first, and says how old it is', async () => {
    socket.share('share-snapshot');
    socket.publish('share-snapshot', { ...flight(60), timestamp: new Date(Date.now() - 600_000).toISOString() });
    const page = await open('share-snapshot');
    await shows(page, 'altitude', '482.2 m');
    await page.getByText('Last report 10 min ago').waitFor();
    quietly();
  });

  it('does with a drone that knows nothing of itself', async () => {
    socket.share('share-silent');
    const page = await open('share-silent');
    await page.getByText('The drone has not reported yet').waitFor();
    socket.publish('share-silent', { droneState: 'SOMETHING_NEW' });
    await page.getByText('Something new').waitFor();
    await shows(page, 'altitude', '– m');
    quietly();
  });

  it('counts down the time that is left', async () => {
    socket.share('share-short', { expiresIn: 61 });
    const page = await open('share-short');
    await shows(page, 'connection', 'live');
    await page.locator('#time-left', { hasText: /^0:5\d$/ }).waitFor();
  });

  it.each([
    ['REVOKED', 'Its owner has revoked it.'],
    ['EXPIRED', 'Its time is up.'],
  ] as const)('says that a share has ended when it is %s, and does not come back', async (state, words) => {
    socket.share('share-ending', { permissions: ['view', 'control'] });
    const page = await open('share-ending');
    await shows(page, 'connection', 'live');
    socket.publish('share-ending', flight(60));
    await shows(page, 'altitude', '482.2 m');
    const before = socket.handshakes.length;
    socket.end('share-ending', state);
    await shows(page, 'connection', 'ended');
    expect(await notice(page)).toBe(`This share has ended. ${words}`);
    expect(await page.title()).toBe('This share has ended');
    expect(await page.getByRole('button', { name: 'Hover' }).isDisabled()).toBe(true);
    await page.waitForTimeout(1500);
    expect(socket.handshakes).toHaveLength(before);
    quietly();
  });

  it('says so when there is no such share, or not any more', async () => {
    const page = await open('share-unknown');
    await shows(page, 'connection', 'not-found');
    expect(await notice(page)).toContain('There is no such share.');
    expect(await page.locator('main').isVisible()).toBe(false);
    quietly();
  });

  it('says so when a share is full, and lets its viewer try again', async () => {
    socket.share('share-full', { maxViewers: 1 });
    const first = await openPage(browser);
    await first.page.goto(`${served.url}/share/share-full`);
    await shows(first.page, 'connection', 'live');
    const page = await open('share-full');
    await shows(page, 'connection', 'full');
    expect(await notice(page)).toContain('This share is full.');
    await first.page.context().close();
    await page.getByRole('button', { name: 'Try again' }).click();
    await shows(page, 'connection', 'live');
    quietly();
  });

  it('reconnects by itself after the socket has dropped', async () => {
    socket.share('share-drop');
    const page = await open('share-drop');
    await shows(page, 'connection', 'live');
    socket.publish('share-drop', flight(60));
    await shows(page, 'altitude', '482.2 m');
    socket.down();
    await shows(page, 'connection', 'reconnecting');
    expect(await notice(page)).toContain('What you see is not live.');
    socket.up();
    await shows(page, 'connection', 'live');
    socket.publish('share-drop', { ...flight(60), battery: { percent: 50 } });
    await shows(page, 'battery', '50 %');
  });

  it('takes a share that is gone when it reconnects for an ended one', async () => {
    socket.share('share-gone');
    const page = await open('share-gone');
    await shows(page, 'connection', 'live');
    socket.down();
    await shows(page, 'connection', 'reconnecting');
    socket.end('share-gone', 'REVOKED');
    socket.up();
    await shows(page, 'connection', 'ended');
    expect(await notice(page)).toBe('This share has ended. It was revoked or its time is up.');
  });

  it('has no buttons that steer unless the share permits it', async () => {
    socket.share('share-view');
    const page = await open('share-view');
    await shows(page, 'connection', 'live');
    socket.publish('share-view', flight(60));
    await shows(page, 'altitude', '482.2 m');
    expect(await page.getByRole('button', { name: 'Return home' }).count()).toBe(0);
  });

  it('sends a command when its button is pressed twice', async () => {
    socket.share('share-control', { permissions: ['view', 'control'] });
    const page = await open('share-control');
    await page.getByRole('button', { name: 'Return home' }).click();
    expect(socket.received).toEqual([]);
    await page.getByRole('button', { name: 'Press again: return home' }).click();
    await page.getByText('Return home: accepted').waitFor();
    socket.outcome('share-control', { requestId: 'of-somebody-else', outcome: 'FAILED' });
    socket.outcome('share-control', { requestId: 'request-1', outcome: 'REFUSED', reason: 'DEVICE_BUSY' });
    await page.getByText('Return home: refused (device busy)').waitFor();
    expect(socket.received).toMatchObject([{ action: 'control', command: { name: 'RETURN_HOME' } }]);
    quietly();
  });

  it('talks to its own host and to the tile server only, which never learns the share code', async () => {
    socket.share('share-secret');
    watched = await openPage(browser);
    const { page, requests } = watched;
    const referrers: string[] = [];
    page.on('request', (request) => {
      if (TILES.test(request.url())) referrers.push(request.headers()['referer'] ?? '');
    });
    await page.goto(`${served.url}/share/share-secret`);
    await shows(page, 'connection', 'live');
    socket.publish('share-secret', flight(60));
    await shows(page, 'altitude', '482.2 m');
    await page.locator('.grid-tile').first().waitFor({ state: 'attached' });

    const host = new URL(served.url).host;
    const elsewhere = requests.filter((url) => new URL(url).host !== host);
    expect(elsewhere.length).toBeGreaterThan(0);
    expect(elsewhere.filter((url) => !TILES.test(url))).toEqual([]);
    expect(new Set(referrers.filter((one) => one !== ''))).toEqual(new Set([`${served.url}/`]));
    const naming = requests
      .filter((url) => url.includes('share-secret'))
      .map((url) => url.replace(/^\w+:\/\/[^/]+/, ''));
    expect(naming).toEqual(['/share/share-secret', '/telemetry?shareCode=share-secret']);
    quietly();
  });
});

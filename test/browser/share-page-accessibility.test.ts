import type { Page } from 'playwright-core';
import { openPage, waitForText } from './browser';
import { sharePageForAllTests, flight } from './share-page-fixture';

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

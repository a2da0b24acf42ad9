import type { Browser, Page } from 'playwright-core';
import { launchBrowser, openPage, waitForText } from './browser';
import { sharePageForAllTests, flight, knownFlight } from './share-page-fixture';

describe('The share page starts', () => {
  const site = sharePageForAllTests();
  const { socket } = site;

  const openLive = async (page: Page, code: string) => {
    socket.share(code);
    await page.goto(`${site.url}/share/${code}`);
    await waitForText(page, 'connection', 'live');
    socket.publish(code, flight(60));
  };

  describe.each([
    ['C', 'en'],
    ['en-US@posix', 'en'],
    ['de_AT.UTF-8', 'de'],
  ])('in a browser whose language is %s', (tag, language) => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser([`--accept-lang=${tag}`]);
    });
    afterAll(() => browser.close());

    test(`with its words in ${language}, figures and charts`, async () => {
      const { page, errors } = await openPage(browser);
      await openLive(page, 'share-language');
      await waitForText(page, 'altitude', language === 'de' ? '482,2 m' : '482.2 m');
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      await page.locator('#altitude-chart canvas').waitFor();
      expect(errors).toEqual([]);
    });
  });

  /** What a browser may lack, or do wrong, and what is left. */
  const noMap = 'The map cannot be shown.';
  const noCharts = 'The charts cannot be shown.';
  const withoutParts: readonly [string, string, readonly string[]][] = [
    ['observers of sizes', 'delete window.ResizeObserver', [noMap, noCharts]],
    ['canvases', 'HTMLCanvasElement.prototype.getContext = () => { throw new Error() }', [noCharts]],
  ];

  test.each(withoutParts)('without %s, and says which part it cannot show', async (_, script, told) => {
    const { page } = await site.newPage();
    await page.addInitScript(script);
    await openLive(page, 'share-parts');
    await waitForText(page, 'altitude', '482.2 m');
    await waitForText(page, 'speed', '11.9 m/s');
    for (const text of told) await page.getByText(text).first().waitFor();
  });

  test('without the file of the charts', async () => {
    const { page } = await site.newPage();
    await page.route(/\/chart-/, (route) => route.abort());
    await openLive(page, 'share-charts');
    await waitForText(page, 'altitude', '482.2 m');
    await page.getByText(noCharts).first().waitFor();
    await page.locator('path.track').waitFor({ state: 'attached' });
  });
});

describe('The share page that cannot start', () => {
  const site = sharePageForAllTests();

  test.each([
    ['its script is missing', /\/main-/, '', /\/share\/assets\/main-/],
    ['its script stops with an error', /\/main-/, 'throw new Error("not today")', /not today/],
    ['its script stops later', /\/main-/, 'Promise.reject(new Error("not yet"))', /not yet/],
  ])('says so when %s', async (_, file, script, reason) => {
    const { page } = await site.newPage();
    await page.route(file, (route) =>
      script === '' ? route.fulfill({ status: 404 }) : route.fulfill({ contentType: 'text/javascript', body: script }),
    );
    await page.goto(`${site.url}/share/share-failed`);
    await page.getByText('This page could not start.').waitFor();
    await page.getByText('Diese Seite konnte nicht starten.').waitFor();
    await page.getByText(reason).waitFor();
  });

  test('says so when no script arrives at all', async () => {
    const { page } = await site.newPage();
    await page.route(/\.js$/, (route) => route.abort());
    await page.goto(`${site.url}/share/share-failed`);
    await page.getByText('This page could not start.').waitFor();
  });
});

describe('The share page goes on', () => {
  const site = sharePageForAllTests();
  const { socket } = site;
  const position = (coordinates: unknown) => ({ navigation: { position: { type: 'Point', coordinates } } });

  test.each<[string, object]>([
    ['a type of a later version', { type: 'device.mood', mood: 'fine' }],
    ['a battery that is a text', { battery: 'full' }],
    ['a charge that is a text', { battery: { percent: '76' } }],
    ['coordinates that are texts', position(['8', '47', '400'])],
    ['two coordinates', position([8.5417, 47.3769])],
    ['a latitude of 91', position([8.5417, 91, 400])],
    ['null for an object', { navigation: null, weather: null }],
    ['a time that is none', { timestamp: 'noon' }],
    ['a state that every object has', { droneState: 'constructor', dockState: '__proto__' }],
    ['a state with controls', { droneState: '\u202Eshut\u0007' }],
  ])('after %s, and shows what it knows', async (_, sample) => {
    socket.share('share-odd');
    const { page, errors } = await site.newPage();
    await page.goto(`${site.url}/share/share-odd`);
    await waitForText(page, 'connection', 'live');
    socket.publish('share-odd', flight(60));
    await waitForText(page, 'battery', '87 %');
    socket.publish('share-odd', { ...flight(70), ...sample });
    socket.publish('share-odd', { battery: { percent: 55 } });
    await waitForText(page, 'battery', '55 %');
    await page
      .getByTestId('altitude')
      .filter({ hasText: /^\s*48\d\.\d m\s*$/ })
      .waitFor();
    expect(await page.locator('body').textContent()).not.toMatch(/NaN|Invalid|undefined|native code|[\u202E\u0007]/);
    expect(errors).toEqual([]);
  });

  test('without its device, and says so beside the last figures', async () => {
    socket.share('share-removed', { isRemoved: true });
    socket.publish('share-removed', { ...flight(60), timestamp: new Date(Date.now() - 600_000).toISOString() });
    const { page, errors } = await site.newPage();
    await page.goto(`${site.url}/share/share-removed`);
    await waitForText(page, 'altitude', '482.2 m');
    await page.getByText('The drone was removed.').waitFor();
    await waitForText(page, 'connection', 'live');
    expect(errors).toEqual([]);
  });

  test('with names of other scripts, and without their controls', async () => {
    socket.share('share-names', {
      flight: () => ({ ...knownFlight(), deviceName: 'עורב \u202Eevil\u202C 7', jobName: 'roof\u2066\nsurvey' }),
    });
    const { page } = await site.newPage();
    await page.goto(`${site.url}/share/share-names`);
    await page.locator('#device', { hasText: /^עורב evil 7$/ }).waitFor();
    expect(await page.locator('#job').textContent()).toBe('roof survey');
    expect(await page.title()).toBe('עורב evil 7 – roof survey');
    const direction = (id: string) => page.evaluate(`getComputedStyle(document.querySelector('${id}')).direction`);
    expect([await direction('#device'), await direction('#job')]).toEqual(['rtl', 'ltr']);
  });
});

describe('The connection pill of the share page', () => {
  const site = sharePageForAllTests();
  const { socket } = site;
  let page: Page;

  const open = async (code: string): Promise<Page> => {
    ({ page } = await site.newPage());
    await page.goto(`${site.url}/share/${code}`);
    return page;
  };

  test('says within five seconds of the limit how old the state is, and stops when the drone reports', async () => {
    socket.share('share-silent', { permissions: ['view', 'control'] });
    await open('share-silent');
    await waitForText(page, 'connection', 'live');
    socket.publish('share-silent', flight(60));
    await page.locator('#pill', { hasText: /^Live$/ }).waitFor();
    await page.locator('#pill', { hasText: /^\d+ s old$/ }).waitFor({ timeout: 10_000 });
    await waitForText(page, 'connection', 'live');
    await page.getByText('These figures are old.').waitFor();
    const colour = `getComputedStyle(document.querySelector('[data-testid="altitude"]')).color`;
    expect(await page.evaluate(colour)).toBe('rgb(82, 100, 111)');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('On its way', { exact: true }).waitFor();
    socket.outcome('share-silent', { requestId: 'request-1', outcome: 'DONE' });
    await page.getByText('The drone stands', { exact: true }).waitFor();
    socket.publish('share-silent', flight(61));
    await page.locator('#pill', { hasText: /^Live$/ }).waitFor();
    expect(await page.evaluate(colour)).toBe('rgb(11, 111, 127)');
  });

  /** Everything that the pill says from now on. */
  const recordPill = () =>
    page.evaluate(`
      window.pillTexts = [];
      new MutationObserver(([{ target }]) => window.pillTexts.push(target.textContent)).observe(
        document.getElementById('pill'), { childList: true, characterData: true, subtree: true });
    `);

  test('says how old samples are that arrive late, and never Live over them, as when it is opened later', async () => {
    socket.share('share-late');
    await open('share-late');
    await page.locator('#pill', { hasText: /^No report yet$/ }).waitFor();
    await recordPill();
    for (const [seconds, late] of [40, 30, 20].entries()) {
      const timestamp = new Date(Date.now() - 20 * 60_000 - late * 100).toISOString();
      socket.publish('share-late', { ...flight(60 + seconds), timestamp });
    }
    await page.locator('#pill', { hasText: /^20 min old$/ }).waitFor();
    await waitForText(page, 'connection', 'live');
    await page.getByText('These figures are old.').waitFor();
    expect(await page.evaluate('window.pillTexts')).toEqual(['20 min old']);
    await page.reload();
    await page.locator('#pill', { hasText: /^20 min old$/ }).waitFor();
    socket.publish('share-late', flight(63));
    await page.locator('#pill', { hasText: /^Live$/ }).waitFor();
  });

  test('measures the age by the service’s clock, also when the viewer’s is wrong', async () => {
    socket.share('share-clock');
    ({ page } = await site.newPage());
    await page.clock.install({ time: Date.now() + 3_600_000 });
    await page.goto(`${site.url}/share/share-clock`);
    await page.locator('#pill', { hasText: /^No report yet$/ }).waitFor();
    socket.publish('share-clock', flight(60));
    await page.locator('#pill', { hasText: /^Live$/ }).waitFor();
    socket.publish('share-clock', { ...flight(60), timestamp: new Date(Date.now() + 30_000).toISOString() });
    await waitForText(page, 'altitude', '482.2 m');
    await page.locator('#pill', { hasText: /^Live$/ }).waitFor();
  });

  test('says at first that it connects, later that it reconnects', async () => {
    socket.share('share-begin');
    socket.down();
    await open('share-begin');
    await page.locator('#pill', { hasText: /^Connecting…$/ }).waitFor();
    await waitForText(page, 'connection', 'reconnecting');
    await page.locator('#notice', { hasText: 'Connecting…' }).waitFor();
    socket.up();
    await page.locator('#pill', { hasText: /^No report yet$/ }).waitFor();
    socket.down();
    await page.locator('#pill', { hasText: /^Reconnecting…$/ }).waitFor();
    expect(await page.title()).toBe('Connection lost');
  });

  test('says that all places are taken, with their number if the page knows it', async () => {
    socket.share('share-places', { maxViewers: 10 });
    await open('share-places');
    await waitForText(page, 'connection', 'live');
    socket.down();
    socket.share('share-places', { maxViewers: 0 });
    socket.up();
    await waitForText(page, 'connection', 'full');
    expect(await page.locator('#notice-title').textContent()).toBe('All 10 places are taken.');
    expect(await page.locator('#pill').textContent()).toBe('Full');
  });
});

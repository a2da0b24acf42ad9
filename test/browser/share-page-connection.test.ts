import type { Page } from 'playwright-core';
import { waitForText } from './browser';
import { sharePageForAllTests, flight } from './share-page-fixture';

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

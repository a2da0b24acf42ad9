import type { Page } from 'playwright-core';
import { waitForText } from './browser';
import { flight } from './flight';
import { sharePageForAllTests } from './share-page-fixture';

describe('The connection pill of the share page', () => {
  const site = sharePageForAllTests();
  const { socket } = site;
  let page: Page;

  const open = async (code: string): Promise<Page> => {
    ({ page } = await site.newPage());
    await page.goto(`${site.url}/share/${code}`);
    return page;
  };

  test('says within five seconds of the limit that the drone is silent, and stops when it reports', async () => {
    socket.share('share-silent', { permissions: ['view', 'control'] });
    await open('share-silent');
    await waitForText(page, 'connection', 'live');
    socket.publish('share-silent', flight(60));
    await page.locator('#pill', { hasText: /^Live$/ }).waitFor();
    await page.locator('#pill', { hasText: /^Silent for \d+ s$/ }).waitFor({ timeout: 10_000 });
    await waitForText(page, 'connection', 'live');
    await page.getByText('The drone is silent.').waitFor();
    const colour = `getComputedStyle(document.querySelector('[data-testid="altitude"]')).color`;
    expect(await page.evaluate(colour)).toBe('rgb(82, 100, 111)');
    await page.getByRole('button', { name: 'Hover' }).click();
    await page.getByRole('button', { name: 'Press again: hover' }).click();
    await page.getByText('Hover: sent; not confirmed.').waitFor();
    socket.outcome('share-silent', { requestId: 'request-1', outcome: 'DONE' });
    await page.getByText('Hover: done.').waitFor();
    socket.publish('share-silent', flight(61));
    await page.locator('#pill', { hasText: /^Live$/ }).waitFor();
    expect(await page.evaluate(colour)).toBe('rgb(11, 111, 127)');
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

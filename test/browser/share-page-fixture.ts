import type { Browser, BrowserContextOptions } from 'playwright-core';
import { launchBrowser, openPage, type MonitoredPage } from './browser';
import { createFakeShareSocket } from './fake-share-socket';
import { servePage, type ServedPage } from './served-page';

/**
 * Serves the share page with a fake socket, and runs a browser, for all tests of a `describe`. After each test its pages are
 * closed and the socket accepts connections again.
 */
export function sharePageForAllTests() {
  const socket = createFakeShareSocket();
  const opened: MonitoredPage[] = [];
  let served: ServedPage;
  let browser: Browser;

  beforeAll(async () => {
    [served, browser] = await Promise.all([servePage({ socket: socket.origin }), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await served.stop();
  });
  afterEach(async () => {
    socket.up();
    await Promise.all(opened.splice(0).map(({ page }) => page.context().close()));
  });

  return {
    socket,
    /** `http://127.0.0.1:<port>` */
    get url() {
      return served.url;
    },
    /** Opens an empty page in a context of its own. */
    async newPage(options?: BrowserContextOptions): Promise<MonitoredPage> {
      const monitored = await openPage(browser, options);
      opened.push(monitored);
      return monitored;
    },
  };
}

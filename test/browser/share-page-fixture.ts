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

/** A sample without its timestamp: a drone's round over a quarry, so many seconds after take-off. */
export function flight(seconds: number) {
  const round = seconds / 60;
  const radius = Math.min(1, seconds / 20) * (0.0016 + 0.0004 * Math.sin(round * 7));
  const angle = round * 2.1;
  const latitude = 47.3769 + radius * Math.cos(angle) * 0.7;
  const longitude = 8.5417 + radius * Math.sin(angle) * 1.4;
  const altitude = 408 + Math.min(72, seconds * 2.4) + 6 * Math.sin(seconds / 9);
  const groundSpeed = Math.min(11, seconds * 0.8) + 1.4 * Math.sin(seconds / 4);
  return {
    droneState: 'WAYPOINT',
    dockState: 'OPEN',
    navigation: {
      position: { type: 'Point', coordinates: [longitude, latitude, altitude] },
      orientation: { heading: ((angle * 180) / Math.PI + 100) % 360, pitch: -2.1, roll: 0.3 },
      velocity: { groundSpeed: Math.max(0, groundSpeed), verticalSpeed: Math.cos(seconds / 9) * 0.7 },
    },
    battery: {
      percent: Math.max(5, 92 - seconds / 12),
      voltage: 23.1,
      remainingFlightTime: Math.max(60, 1500 - seconds),
    },
    weather: { windSpeed: 4.2, windDirection: 245, temperature: 11.5, humidity: 63, rain: 0 },
  };
}

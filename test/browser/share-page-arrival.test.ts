import type { BrowserContextOptions, Page } from 'playwright-core';
import { until } from '../channels/until';
import { waitForText, type MonitoredPage, axeFindings } from './browser';
import { sharePageForAllTests, flight, knownFlight } from './share-page-fixture';

const goal = [8.5446, 47.3778];
const way = {
  place: { coordinates: goal, actionOnArrival: 'HOVER' },
  route: [[8.5417, 47.3769], goal],
};
const progress = { percent: 42, distanceLeft: 640, secondsLeft: 75 };

describe('The share page of a flight to a place', () => {
  const site = sharePageForAllTests();
  const { socket } = site;
  let monitored: MonitoredPage;

  afterEach(() => expect(monitored.errors).toEqual([]));

  const open = async (code: string, options: BrowserContextOptions = {}): Promise<Page> => {
    monitored = await site.newPage({ timezoneId: 'UTC', ...options });
    await monitored.page.goto(`${site.url}/share/${code}`);
    await waitForText(monitored.page, 'connection', 'live');
    return monitored.page;
  };
  const estimate = (page: Page) => page.locator('#estimate');
  const routeOn = (page: Page) => page.locator('path.route').getAttribute('d');
  /** `10:42`, so many seconds from now. */
  const clock = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString().slice(11, 16);

  test('shows the place, the rest of the way dashed, and when the drone arrives', async () => {
    socket.share('share-way', { flight: () => ({ ...knownFlight(), ...way }) });
    const page = await open('share-way');
    const times = [clock(75)];
    socket.publish('share-way', { ...flight(180), progress });
    await estimate(page).getByText('640 m left').waitFor();
    times.push(clock(75));
    expect(times.map((time) => `EstimateArrives about ${time}, 640 m left`)).toContain(
      (await estimate(page).textContent())?.replaceAll(/\n\s*/g, ''),
    );
    await page.locator('.place').waitFor();
    await until('the route', async () => (/^M.+L/.test((await routeOn(page)) ?? '') ? true : undefined));
    const dashes = `getComputedStyle(document.querySelector('path.route')).strokeDasharray`;
    expect(await page.evaluate(dashes)).not.toBe('none');
    const inView = `(() => {
      const [pin, map] = ['.place', '#map'].map((one) => document.querySelector(one).getBoundingClientRect());
      return pin.left > map.left && pin.right < map.right && pin.top > map.top && pin.bottom < map.bottom;
    })()`;
    await until('the place in view', async () => ((await page.evaluate<boolean>(inView)) ? true : undefined));
    await page.getByLabel('Units').selectOption('Imperial');
    await estimate(page).getByText('2100 ft left').waitFor();
  });

  test('tells a screen reader how far it is', async () => {
    socket.share('share-told', { flight: () => ({ ...knownFlight(), ...way }) });
    const page = await open('share-told');
    socket.publish('share-told', { ...flight(180), progress });
    await estimate(page).getByText('640 m left').waitFor();
    // Figures are announced every 30 seconds.
    await page.clock.setFixedTime(Date.now() + 40_000);
    await until('the announcement', async () => {
      socket.publish('share-told', { ...flight(181), progress: { ...progress, distanceLeft: 630 } });
      return ((await page.locator('#announcer').textContent()) ?? '').endsWith('about 630 meters left') || undefined;
    });
  });

  test('leads home from the place, and shows nothing on the ground', async () => {
    socket.share('share-back', { flight: () => ({ ...knownFlight(), ...way }) });
    const page = await open('share-back');
    const publish = (droneState: string, known: object | undefined) =>
      socket.publish('share-back', { ...flight(180), droneState, ...(known && { progress: known }) });
    publish('WAYPOINT', progress);
    await estimate(page).getByText('Arrives about').waitFor();
    publish('HOVER', progress);
    await estimate(page).getByText('Until about').waitFor();
    await until('no route', async () => (/^M0 0$|^$/.test((await routeOn(page)) ?? '') ? true : undefined));
    publish('RETURNING', { ...progress, secondsLeft: undefined });
    await estimate(page)
      .getByText(/^640 m left$/)
      .waitFor();
    publish('RETURNING', progress);
    await estimate(page).getByText('Back about').waitFor();
    publish('RETURNING', { percent: 97 });
    await estimate(page).getByText('97 % flown').waitFor();
    expect(await page.locator('.place').count()).toBe(1);
    publish('LANDED', undefined);
    await estimate(page).waitFor({ state: 'hidden' });
    await page.locator('.place').waitFor({ state: 'detached' });
  });

  test('shows and tells none of a job that ended in the air, a minute after the drone last said it', async () => {
    socket.share('share-ended-job', { flight: () => ({ ...knownFlight(), ...way }) });
    const page = await open('share-ended-job');
    const publish = (droneState: string, known: object = {}) =>
      socket.publish('share-ended-job', { ...flight(180), droneState, ...known, timestamp: socket.timeBefore(0) });
    publish('WAYPOINT', { progress });
    await estimate(page).getByText('640 m left').waitFor();
    socket.pass(30_000);
    publish('HOVER');
    await page.getByText('Hovering').waitFor();
    await estimate(page).getByText('640 m left').waitFor();
    socket.pass(40_000);
    publish('ORBIT');
    await page.getByText('Circling').waitFor();
    expect(await estimate(page).isVisible()).toBe(false);
    // Figures are announced every 30 seconds.
    await page.clock.setFixedTime(Date.now() + 40_000);
    await until('the announcement', async () => {
      publish('ORBIT');
      return /battery \d\d %$/.test((await page.locator('#announcer').textContent()) ?? '') || undefined;
    });
    publish('WAYPOINT', { progress: { percent: 3, distanceLeft: 910 } });
    await estimate(page).getByText('910 m left').waitFor();
  });

  test('asks again where the flight leads to when it began without a known job', async () => {
    let asked = 0;
    socket.share('share-asked', { flight: () => ({ ...knownFlight(), ...(asked++ > 1 && way) }) });
    const page = await open('share-asked');
    socket.publish('share-asked', { ...flight(0), droneState: 'DOCKED' });
    await waitForText(page, 'height', '0.0 m');
    socket.publish('share-asked', { ...flight(2), progress });
    await page.locator('.place').waitFor({ timeout: 15_000 });
  });

  test('says it in German, without a finding of axe', async () => {
    socket.share('share-german', { flight: () => ({ ...knownFlight(), ...way }) });
    const page = await open('share-german', { locale: 'de-CH', reducedMotion: 'reduce' });
    socket.publish('share-german', { ...flight(180), progress });
    await estimate(page)
      .getByText(/^Ankunft etwa \d\d:\d\d, noch 640 m$/)
      .waitFor();
    await page.locator('.place').waitFor();
    for (const size of [
      { width: 360, height: 740 },
      { width: 740, height: 360 },
      { width: 1280, height: 800 },
    ])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width);
        expect(await axeFindings(page, 'any')).toEqual([]);
      }
  });
});
